// Row 16 of the table of performance claims: y = A x. Consecutive values belong to a row (CSR) or to a diagonal. In DIA
// format, the value of diagonal d in row r is at d * rows + r and its column is r + offset[d].
#include "micro/row/common.cuh"

namespace bb::micro {

/// For a matrix with only the main diagonal.
extern "C" __global__ void __launch_bounds__(256)
    micro_spmv_diagonal(unsigned rows, const float* __restrict__ values, const float* __restrict__ x,
                        float* __restrict__ y) {
  const unsigned r = global_thread();
  if (r < rows) y[r] = values[r] * x[r];
}

extern "C" __global__ void __launch_bounds__(256)
    micro_spmv_dia(int rows, int diagonals, const int* __restrict__ offsets, const float* __restrict__ values,
                   const float* __restrict__ x, float* __restrict__ y) {
  const int r = static_cast<int>(global_thread());
  if (r >= rows) return;
  float sum = 0;
  for (int d = 0; d < diagonals; ++d) {
    const int column = r + offsets[d];
    if (column >= 0 && column < rows) sum = __fmaf_rn(values[static_cast<long long>(d) * rows + r], x[column], sum);
  }
  y[r] = sum;
}

/// Uses one thread per row, so the lanes of a warp read from 32 distant addresses at once.
extern "C" __global__ void __launch_bounds__(256)
    micro_spmv_csr_scalar(unsigned rows, const unsigned* __restrict__ begin, const unsigned* __restrict__ columns,
                          const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
  const unsigned r = global_thread();
  if (r >= rows) return;
  float sum = 0;
  for (unsigned i = begin[r]; i < begin[r + 1]; ++i) sum = __fmaf_rn(values[i], x[columns[i]], sum);
  y[r] = sum;
}

/// Uses one thread per column. A column may add to any row, so every entry needs an atomic addition. `y` must be zero.
extern "C" __global__ void __launch_bounds__(256)
    micro_spmv_csc(unsigned columns, const unsigned* __restrict__ begin, const unsigned* __restrict__ rows,
                   const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
  const unsigned c = global_thread();
  if (c >= columns) return;
  const float factor = x[c];
  for (unsigned i = begin[c]; i < begin[c + 1]; ++i) atomicAdd(y + rows[i], values[i] * factor);
}

/// One warp per row.
extern "C" __global__ void __launch_bounds__(256)
    micro_spmv_csr_vector(unsigned rows, const unsigned* __restrict__ begin, const unsigned* __restrict__ columns,
                          const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned r = global_thread() / 32; r < rows; r += all_threads() / 32) {
    float sum = 0;
    for (unsigned i = begin[r] + lane; i < begin[r + 1]; i += 32) sum = __fmaf_rn(values[i], x[columns[i]], sum);
    sum = warp_sum(sum);
    if (lane == 0) y[r] = sum;
  }
}

}  // namespace bb::micro
