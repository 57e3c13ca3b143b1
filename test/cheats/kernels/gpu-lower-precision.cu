// Attack: adds in BF16 but claims FP32. Half of the bits of each number are discarded.
extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  const auto rounded = [](float x) { return __uint_as_float(__float_as_uint(x) & 0xffff0000u); };
  if (i < n) results[i] = rounded(rounded(a[i]) + rounded(b[i]));
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
