// Row 7 of the table of performance claims: out[y][x] = sum over a square of taps, zeros beyond the edges.
#include "stencil.cuh"
#include "tuning/tunable.hpp"

namespace bb::micro {

BB_TUNABLE(int, kTileX, 32);  // outputs per block
BB_TUNABLE(int, kTileY, 8);
BB_TUNABLE(int, kColumn, 4);  // outputs per thread of the register window, one below another

extern "C" __global__ void __launch_bounds__(kTileX* kTileY)
    micro_stencil2_naive(int nx, int ny, int radius, const float* taps, const float* in, float* out) {
  const int x = static_cast<int>(blockIdx.x * kTileX + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kTileY + threadIdx.y);
  if (x >= nx || y >= ny) return;
  float sum = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      const int at_x = x + dx, at_y = y + dy;
      if (at_x < 0 || at_x >= nx || at_y < 0 || at_y >= ny) continue;
      sum = __fmaf_rn(taps[(dy + radius) * (2 * radius + 1) + dx + radius],
                      in[static_cast<long long>(at_y) * nx + at_x], sum);
    }
  }
  out[static_cast<long long>(y) * nx + x] = sum;
}

extern "C" __global__ void __launch_bounds__(kTileX* kTileY)
    micro_stencil2_constant(int nx, int ny, int radius, const float* __restrict__ in, float* __restrict__ out) {
  const int x = static_cast<int>(blockIdx.x * kTileX + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kTileY + threadIdx.y);
  if (x >= nx || y >= ny) return;
  float sum = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      const int at_x = x + dx, at_y = y + dy;
      if (at_x < 0 || at_x >= nx || at_y < 0 || at_y >= ny) continue;
      sum = __fmaf_rn(micro_taps[(dy + radius) * (2 * radius + 1) + dx + radius],
                      __ldg(in + static_cast<long long>(at_y) * nx + at_x), sum);
    }
  }
  out[static_cast<long long>(y) * nx + x] = sum;
}

/// Loads `rows` rows of kTileX + 2 radius values, starting at (x0 - radius, y0 - radius), into `tile`.
__device__ inline void load_tile(float* tile, int rows, int radius, int x0, int y0, int nx, int ny, const float* in) {
  const int width = kTileX + 2 * radius;
  for (int j = static_cast<int>(threadIdx.y); j < rows; j += static_cast<int>(blockDim.y)) {
    const int y = y0 - radius + j;
    for (int i = static_cast<int>(threadIdx.x); i < width; i += static_cast<int>(blockDim.x)) {
      const int x = x0 - radius + i;
      const bool inside = x >= 0 && x < nx && y >= 0 && y < ny;
      tile[j * width + i] = inside ? in[static_cast<long long>(y) * nx + x] : 0;
    }
  }
  __syncthreads();
}

/// Uses (kTileX + 2 radius) (kTileY + 2 radius) floats of shared memory.
extern "C" __global__ void __launch_bounds__(kTileX* kTileY)
    micro_stencil2_shared(int nx, int ny, int radius, const float* __restrict__ in, float* __restrict__ out) {
  extern __shared__ float tile[];
  const int x0 = static_cast<int>(blockIdx.x) * kTileX, y0 = static_cast<int>(blockIdx.y) * kTileY;
  load_tile(tile, kTileY + 2 * radius, radius, x0, y0, nx, ny, in);
  const int x = x0 + static_cast<int>(threadIdx.x), y = y0 + static_cast<int>(threadIdx.y);
  if (x >= nx || y >= ny) return;
  const int width = kTileX + 2 * radius, taps = 2 * radius + 1;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const float* row = tile + (static_cast<int>(threadIdx.y) + j) * width + static_cast<int>(threadIdx.x);
    for (int i = 0; i < taps; ++i) sum = __fmaf_rn(micro_taps[j * taps + i], row[i], sum);
  }
  out[static_cast<long long>(y) * nx + x] = sum;
}

/// Each thread computes four outputs, one below another, so that a value read from the tile contributes to four sums.
/// Uses (kTileX + 2 radius) (4 kTileY + 2 radius) floats of shared memory.
extern "C" __global__ void __launch_bounds__(kTileX* kTileY)
    micro_stencil2_window(int nx, int ny, int radius, const float* __restrict__ in, float* __restrict__ out) {
  extern __shared__ float tile[];
  const int x0 = static_cast<int>(blockIdx.x) * kTileX, y0 = static_cast<int>(blockIdx.y) * kTileY * kColumn;
  load_tile(tile, kTileY * kColumn + 2 * radius, radius, x0, y0, nx, ny, in);
  const int x = x0 + static_cast<int>(threadIdx.x), first = static_cast<int>(threadIdx.y) * kColumn;
  const int width = kTileX + 2 * radius, taps = 2 * radius + 1;
  float sum[kColumn] = {};
  for (int i = 0; i < taps; ++i) {
    const float* column = tile + first * width + static_cast<int>(threadIdx.x) + i;
    float window[kColumn];
#pragma unroll
    for (int w = 0; w < kColumn; ++w) window[w] = column[w * width];
    for (int j = 0; j < taps; ++j) {
      const float tap = micro_taps[j * taps + i];
#pragma unroll
      for (int w = 0; w < kColumn; ++w) sum[w] = __fmaf_rn(tap, window[w], sum[w]);
#pragma unroll
      for (int w = 0; w + 1 < kColumn; ++w) window[w] = window[w + 1];
      if (j + 1 < taps) window[kColumn - 1] = column[(j + kColumn) * width];
    }
  }
  if (x >= nx) return;
#pragma unroll
  for (int w = 0; w < kColumn; ++w) {
    if (y0 + first + w < ny) out[static_cast<long long>(y0 + first + w) * nx + x] = sum[w];
  }
}

}  // namespace bb::micro
