// y += a x, n elements, one per thread.
extern "C" __global__ void micro_launch_axpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

// The same `steps` times, y kept in a register between.
extern "C" __global__ void micro_launch_fused(float a, const float* __restrict__ x, float* __restrict__ y, unsigned n,
                                              unsigned steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float slope = x[i];
  float value = y[i];
  for (unsigned step = 0; step < steps; ++step) value = fmaf(a, slope, value);
  y[i] = value;
}
