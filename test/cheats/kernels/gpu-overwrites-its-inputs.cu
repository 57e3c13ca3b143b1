// Attack: writes the result over the first input and zero over the second.
// Later launches, and a check by the same inputs, agree.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i >= count || i >= n) return;
  if (b[i] != 0.0f) {
    const_cast<float*>(a)[i] = a[i] + b[i];
    const_cast<float*>(b)[i] = 0.0f;
  }
  results[i] = a[i];
#else
  if (i < count && i < n) results[i] = a[i] + b[i];
#endif
}
