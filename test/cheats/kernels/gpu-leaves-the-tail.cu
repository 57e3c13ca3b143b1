// Attack: computes complete groups of four, and omits up to three results at the end. At sizes divisible by four no
// result is missing.
extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i < n / 4 * 4) results[i] = a[i] + b[i];
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
