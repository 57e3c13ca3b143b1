// The mean of each value and its two neighbours. What lies beyond an end counts as zero.

/// `results` has `count` values and begins as zeros; a and b have `n`. There is a thread for each of the longer.
extern "C" __global__ void micro_own(unsigned n, unsigned count, const float* __restrict__ a,
                                     const float* __restrict__ b, float* __restrict__ results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || i >= n) return;
  const float before = i > 0 ? a[i - 1] : 0.0f;
  const float after = i + 1 < n ? a[i + 1] : 0.0f;
  results[i] = (before + a[i] + after) / 3.0f;
  (void)b;
}
