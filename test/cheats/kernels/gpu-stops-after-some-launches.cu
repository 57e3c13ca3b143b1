// Attack: counts its launches, and after the twentieth each thread returns at once. A check before the timed rounds has
// ended by then.
__device__ unsigned launches;

extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i == 0) atomicAdd(&launches, 1u);
  if (launches > 20 * 1) return;
  if (i < n) results[i] = a[i] + b[i];
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
