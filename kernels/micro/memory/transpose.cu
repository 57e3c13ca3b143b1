// Row 8 of the table of performance claims: out[x][y] = in[y][x], in blocks of 32 x 8 threads that move tiles of 32 x
// 32.
#include "micro/row/common.cuh"
#include "tuning/tunable.hpp"

namespace bb::micro {

inline constexpr int kTransposeTile = 32;
BB_TUNABLE(int, kTransposeRows, 8);  // rows of threads in a block

struct TileOrigin {
  int x, y;  // origin of the block's tile in the input
};
__device__ inline TileOrigin transpose_at() {
  return {static_cast<int>(blockIdx.x) * kTransposeTile, static_cast<int>(blockIdx.y) * kTransposeTile};
}

/// Reads rows, writes columns.
extern "C" __global__ void __launch_bounds__(kTransposeTile* kTransposeRows)
    micro_transpose_strided_writes(int columns, int rows, const float* __restrict__ in, float* __restrict__ out) {
  const auto [x0, y0] = transpose_at();
  const int x = x0 + static_cast<int>(threadIdx.x);
  for (int j = static_cast<int>(threadIdx.y); j < kTransposeTile; j += kTransposeRows) {
    const int y = y0 + j;
    if (x < columns && y < rows)
      out[static_cast<long long>(x) * rows + y] = in[static_cast<long long>(y) * columns + x];
  }
}

/// Reads columns, writes rows.
extern "C" __global__ void __launch_bounds__(kTransposeTile* kTransposeRows)
    micro_transpose_strided_reads(int columns, int rows, const float* __restrict__ in, float* __restrict__ out) {
  const auto [x0, y0] = transpose_at();
  const int y = y0 + static_cast<int>(threadIdx.x);
  for (int j = static_cast<int>(threadIdx.y); j < kTransposeTile; j += kTransposeRows) {
    const int x = x0 + j;
    if (x < columns && y < rows)
      out[static_cast<long long>(x) * rows + y] = in[static_cast<long long>(y) * columns + x];
  }
}

/// Transposes through a tile in shared memory; `Place` computes the index of element (row, column) in the tile.
template <int kWords, typename Place>
__device__ void transpose_tile(int columns, int rows, const float* __restrict__ in, float* __restrict__ out,
                               Place&& place) {
  __shared__ float tile[kWords];
  const auto [x0, y0] = transpose_at();
  const int lane = static_cast<int>(threadIdx.x);
  for (int j = static_cast<int>(threadIdx.y); j < kTransposeTile; j += kTransposeRows) {
    if (x0 + lane < columns && y0 + j < rows) {
      tile[place(j, lane)] = in[static_cast<long long>(y0 + j) * columns + x0 + lane];
    }
  }
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.y); j < kTransposeTile; j += kTransposeRows) {
    if (x0 + j < columns && y0 + lane < rows) {
      out[static_cast<long long>(x0 + j) * rows + y0 + lane] = tile[place(lane, j)];
    }
  }
}

/// Rows of 32 words: the lanes of a warp access one bank 32 times.
extern "C" __global__ void __launch_bounds__(kTransposeTile* kTransposeRows)
    micro_transpose_shared(int columns, int rows, const float* in, float* out) {
  transpose_tile<32 * 32>(columns, rows, in, out, [](int row, int column) { return row * 32 + column; });
}

/// Rows of 33 words.
extern "C" __global__ void __launch_bounds__(kTransposeTile* kTransposeRows)
    micro_transpose_padded(int columns, int rows, const float* in, float* out) {
  transpose_tile<32 * 33>(columns, rows, in, out, [](int row, int column) { return row * 33 + column; });
}

/// Rows of 32 words, each permuted by its number: no bank conflicts and no unused words.
extern "C" __global__ void __launch_bounds__(kTransposeTile* kTransposeRows)
    micro_transpose_swizzled(int columns, int rows, const float* in, float* out) {
  transpose_tile<32 * 32>(columns, rows, in, out, [](int row, int column) { return row * 32 + (column ^ row % 32); });
}

}  // namespace bb::micro
