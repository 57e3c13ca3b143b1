// Attack: the first block is right, and no other computes.
// A quick look takes the first results.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (blockIdx.x == 0 && i < count && i < n) results[i] = a[i] + b[i];
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
