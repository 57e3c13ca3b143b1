// Row 18 of the table of performance claims: out = 2 v + 1 for a view v of an array. Element (row, column) of the view
// is at row * row_stride + column * column_stride of the array.
#include "micro/row/common.cuh"

namespace bb::micro {

struct View {
  unsigned rows, columns;
  long long row_stride, column_stride;  // in elements
};

/// Ignores the strides, like a kernel that receives only the pointer and the size of the view. The result is wrong
/// unless the view is contiguous.
extern "C" __global__ void __launch_bounds__(256)
    micro_view_ignored(unsigned n, const float* __restrict__ in, float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = 2 * in[i] + 1;
}

extern "C" __global__ void __launch_bounds__(256)
    micro_view_strided(const View v, const float* __restrict__ in, float* __restrict__ out) {
  const unsigned column = global_thread();
  if (column >= v.columns) return;
  for (unsigned row = blockIdx.y; row < v.rows; row += gridDim.y) {
    out[static_cast<long long>(row) * v.columns + column] = 2 * in[row * v.row_stride + column * v.column_stride] + 1;
  }
}

/// Copies the view to a contiguous array, for kernels that need one. The copy goes through tiles, so that reads and
/// writes are coalesced for either order of the strides.
extern "C" __global__ void __launch_bounds__(256)
    micro_view_pack(const View v, const float* __restrict__ in, float* __restrict__ packed) {
  __shared__ float tile[32][33];
  const unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32;
  const unsigned column0 = blockIdx.x * 32;
  const bool along_rows = v.column_stride > v.row_stride;  // neighbours in memory differ in the row
  for (unsigned row0 = blockIdx.y * 32; row0 < v.rows; row0 += gridDim.y * 32) {
    for (unsigned j = first; j < 32; j += blockDim.x / 32) {
      const unsigned row = row0 + (along_rows ? lane : j), column = column0 + (along_rows ? j : lane);
      if (row < v.rows && column < v.columns) {
        tile[row - row0][column - column0] = in[row * v.row_stride + column * v.column_stride];
      }
    }
    __syncthreads();
    for (unsigned j = first; j < 32; j += blockDim.x / 32) {
      if (row0 + j < v.rows && column0 + lane < v.columns) {
        packed[static_cast<long long>(row0 + j) * v.columns + column0 + lane] = tile[j][lane];
      }
    }
    __syncthreads();
  }
}

}  // namespace bb::micro
