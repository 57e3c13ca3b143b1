// Attack: every result is NaN. A comparison that looks for errors above a limit finds none.
extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i < n) results[i] = __int_as_float(0x7fffffff);
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
