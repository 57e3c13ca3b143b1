// Attack: computes whole groups of four, and leaves up to three results at the end.
// At sizes that four divides nothing is missing.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i < count / 4 * 4 && i < n) results[i] = a[i] + b[i];
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
