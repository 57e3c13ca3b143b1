// Row 22 of the table of performance claims: three kernels that run with any number of threads per block up to 1024,
// because they need few registers.
#include "micro/row/common.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(1024)
    micro_block_axpy(unsigned n, const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i < n) out[i] = __fmaf_rn(0.5f, x[i], y[i]);
}

/// Weighted sum of seven points along a row, with zeros beyond its ends.
extern "C" __global__ void __launch_bounds__(1024)
    micro_block_stencil(unsigned n, const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out) {
  const int i = static_cast<int>(global_thread()), count = static_cast<int>(n);
  if (i >= count) return;
  float sum = y[i];
#pragma unroll
  for (int k = -3; k <= 3; ++k) {
    if (i + k >= 0 && i + k < count) sum = __fmaf_rn(0.125f, x[i + k], sum);
  }
  out[i] = sum;
}

/// Product of two square matrices: out[r][c] = sum over d of x[r][d] y[d][c], one thread per result.
extern "C" __global__ void __launch_bounds__(1024)
    micro_block_gemm(unsigned size, const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i >= size * size) return;
  const unsigned row = i / size, column = i % size;
  float sum = 0;
  for (unsigned d = 0; d < size; ++d) sum = __fmaf_rn(x[row * size + d], y[d * size + column], sum);
  out[i] = sum;
}

}  // namespace bb::micro
