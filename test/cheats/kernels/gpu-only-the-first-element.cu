// Attack: only the first block computes its results. A quick check looks at the first results only.
extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (blockIdx.x == 0 && i < n) results[i] = a[i] + b[i];
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
