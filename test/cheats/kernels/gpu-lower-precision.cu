// Attack: adds in BF16 under the name of FP32.
// Half of the bits of each number are thrown away.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  const auto rounded = [](float x) { return __uint_as_float(__float_as_uint(x) & 0xffff0000u); };
  if (i < count && i < n) results[i] = rounded(rounded(a[i]) + rounded(b[i]));
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
