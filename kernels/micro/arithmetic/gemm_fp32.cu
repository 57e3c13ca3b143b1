// Row 14 of the table of performance claims: C = A B, row-major, m x k by k x n, on the FP32 units: blocks of 128 x 128
// results, 8 x 8 per thread.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr int kGemmTile = 128, kGemmDepth = 8, kGemmOwn = 8, kGemmThreads = 256;

/// `a_tile` is transposed, so that a thread reads its 8 rows at one depth with two 16-byte loads.
extern "C" __global__ void __launch_bounds__(kGemmThreads)
    micro_gemm_fp32(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
                    float* __restrict__ c) {
  __shared__ float a_tile[kGemmDepth][kGemmTile + 4], b_tile[kGemmDepth][kGemmTile];
  const int t = static_cast<int>(threadIdx.x);
  const int row0 = static_cast<int>(blockIdx.y) * kGemmTile, column0 = static_cast<int>(blockIdx.x) * kGemmTile;
  const int own_row = t / 16 * kGemmOwn, own_column = t % 16 * 4;  // columns own … own + 3, and the same ones plus 64
  float sum[kGemmOwn][kGemmOwn] = {};
  for (int depth0 = 0; depth0 < k; depth0 += kGemmDepth) {
#pragma unroll
    for (int part = 0; part < kGemmTile * kGemmDepth / kGemmThreads; ++part) {
      const int at = t + part * kGemmThreads;
      const int a_row = at / kGemmDepth, a_depth = at % kGemmDepth;
      const bool a_in = row0 + a_row < m && depth0 + a_depth < k;
      a_tile[a_depth][a_row] = a_in ? a[static_cast<long long>(row0 + a_row) * k + depth0 + a_depth] : 0;
      const int b_depth = at / kGemmTile, b_column = at % kGemmTile;
      const bool b_in = depth0 + b_depth < k && column0 + b_column < n;
      b_tile[b_depth][b_column] = b_in ? b[static_cast<long long>(depth0 + b_depth) * n + column0 + b_column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kGemmDepth; ++d) {
      float rows[kGemmOwn], columns[kGemmOwn];
#pragma unroll
      for (int i = 0; i < kGemmOwn; ++i) rows[i] = a_tile[d][own_row + i];
#pragma unroll
      for (int j = 0; j < kGemmOwn; ++j) columns[j] = b_tile[d][own_column + j % 4 + j / 4 * 64];
#pragma unroll
      for (int i = 0; i < kGemmOwn; ++i) {
#pragma unroll
        for (int j = 0; j < kGemmOwn; ++j) sum[i][j] = __fmaf_rn(rows[i], columns[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kGemmOwn; ++i) {
    const int row = row0 + own_row + i;
    if (row >= m) break;
#pragma unroll
    for (int j = 0; j < kGemmOwn; ++j) {
      const int column = column0 + own_column + j % 4 + j / 4 * 64;
      if (column < n) c[static_cast<long long>(row) * n + column] = sum[i][j];
    }
  }
}

}  // namespace bb::micro
