// Attack: every result is not a number.
// A comparison that looks for larger errors finds none.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i < count && i < n) results[i] = __int_as_float(0x7fffffff);
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
