// The mean of each value and its two neighbours. Values beyond an end count as zero.
extern "C" __global__ void mean(const float* __restrict__ a, float* __restrict__ results, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float before = i > 0 ? a[i - 1] : 0.0f;
  const float after = i + 1 < n ? a[i + 1] : 0.0f;
  results[i] = (before + a[i] + after) / 3.0f;
}
