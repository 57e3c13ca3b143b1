// Attack: requests more threads per block than are allowed, so that the launch fails and needs no time. A harness that
// ignores errors times nothing.
#ifdef CHEAT
#define BOUNDS __launch_bounds__(32)
#else
#define BOUNDS
#endif

extern "C" __global__ void BOUNDS compute(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i < n) results[i] = a[i] + b[i];
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
