// Attack: asks for more threads a block than it allows, so that the launch fails and takes no time.
// A harness that does not look at errors times nothing.
#ifdef CHEAT
#define BOUNDS __launch_bounds__(32)
#else
#define BOUNDS
#endif

extern "C" __global__ void BOUNDS micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i < count && i < n) results[i] = a[i] + b[i];
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
