// Row 18: out = 2 v + 1 of a view v of another array: element (row, column) of the view lies at
// row * row_stride + column * column_stride of the array that it looks into.
#include "micro/row/common.cuh"

namespace bb::micro {

struct View {
  unsigned rows, columns;
  long long row_stride, column_stride;  // elements
};

/// As a kernel does that is handed the view's pointer and its number of elements: wrong unless it is contiguous.
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

/// The view as a contiguous array, for kernels that need one. Through tiles, so that both sides are read and
/// written in rows whichever of the strides is the short one.
extern "C" __global__ void __launch_bounds__(256)
    micro_view_pack(const View v, const float* __restrict__ in, float* __restrict__ packed) {
  __shared__ float tile[32][33];
  const unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32;
  const unsigned column0 = blockIdx.x * 32;
  const bool along_rows = v.column_stride > v.row_stride;  // the array's neighbours are the view's rows
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
