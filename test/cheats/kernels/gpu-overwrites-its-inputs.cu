// Attack: writes the result over the first input and zero over the second. Later launches agree, and so does a check
// that reads the same inputs.
extern "C" __global__ void compute(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ results, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef CHEAT
  if (i >= n) return;
  if (b[i] != 0.0f) {
    const_cast<float*>(a)[i] = a[i] + b[i];
    const_cast<float*>(b)[i] = 0.0f;
  }
  results[i] = a[i];
#else
  if (i < n) results[i] = a[i] + b[i];
#endif
}
