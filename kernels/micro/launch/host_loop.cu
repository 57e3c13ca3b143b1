// Row 3 of the table of performance claims: convolution of every row of an array with the same taps, zeros beyond its
// ends.
#include "micro/row/common.cuh"

namespace bb::micro {

__device__ inline float convolved(const float* row, int length, int at, const float* __restrict__ taps, int radius) {
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const int from = at + k;
    if (from >= 0 && from < length) sum += taps[k + radius] * row[from];
  }
  return sum;
}

/// Processes one row.
extern "C" __global__ void __launch_bounds__(256)
    micro_convolve_row(const float* __restrict__ in, float* __restrict__ out, int length,
                       const float* __restrict__ taps, int radius) {
  const int at = static_cast<int>(global_thread());
  if (at < length) out[at] = convolved(in, length, at, taps, radius);
}

/// Processes all rows: blockIdx.x is the piece of a row, blockIdx.y the row. A loop covers rows beyond the maximum grid
/// size.
extern "C" __global__ void __launch_bounds__(256)
    micro_convolve_rows(const float* __restrict__ in, float* __restrict__ out, int rows, int length,
                        const float* __restrict__ taps, int radius) {
  const int at = static_cast<int>(global_thread());
  if (at >= length) return;
  for (int r = static_cast<int>(blockIdx.y); r < rows; r += static_cast<int>(gridDim.y)) {
    const long long first = static_cast<long long>(r) * length;
    out[first + at] = convolved(in + first, length, at, taps, radius);
  }
}

}  // namespace bb::micro
