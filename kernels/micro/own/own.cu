// The sum of two vectors: the kernel that a user kernel replaces.

/// `results` has `count` values, a and b have `n`. There are at least as many threads as the larger of both.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && i < n) results[i] = a[i] + b[i];
}
