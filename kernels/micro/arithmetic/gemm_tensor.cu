// Row 14 of the table of performance claims: C = A B on the tensor cores, sums in FP32. Inputs are FP32 in memory and
// rounded to TF32, BF16 or FP16 on their way into shared memory.
#include "micro/row/common.cuh"
#include "tensor.cuh"

namespace bb::micro {

inline constexpr int kMmaTile = 128;     // rows and columns of C per block
inline constexpr int kMmaThreads = 256;  // 8 warps, 2 x 4: each 64 x 32 of C, as 4 x 4 instructions of 16 x 8
inline constexpr int kMmaRows = 4, kMmaColumns = 4;

/// One round loads 8 words along k of both tiles, [row of A or column of B][word]. With a pitch of 12 words per row,
/// the 8 groups of a warp access different banks.
template <typename Format>
__device__ void gemm_tensor(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c) {
  constexpr int kWords = 8, kRow = 12, kPer = Format::kPerWord, kRound = kWords * kPer;
  static_assert(kRound == Format::kDepth, "one instruction a round, fragment and round");
  __shared__ unsigned a_tile[kMmaTile][kRow], b_tile[kMmaTile][kRow];
  const int t = static_cast<int>(threadIdx.x), warp = t / 32;
  const int row0 = static_cast<int>(blockIdx.y) * kMmaTile, column0 = static_cast<int>(blockIdx.x) * kMmaTile;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  const auto [group, member] = fragment_lane();
  float sum[kMmaRows][kMmaColumns][4] = {};
  for (int k0 = 0; k0 < k; k0 += kRound) {
    for (int at = t; at < kMmaTile * kWords; at += kMmaThreads) {
      float values[kPer];
      const int row = at / kWords, a_word = at % kWords;
#pragma unroll
      for (int v = 0; v < kPer; ++v) {
        const int depth = k0 + a_word * kPer + v;
        values[v] = row0 + row < m && depth < k ? a[static_cast<long long>(row0 + row) * k + depth] : 0;
      }
      a_tile[row][a_word] = Format::word(values);
      const int column = at % kMmaTile, b_word = at / kMmaTile;
#pragma unroll
      for (int v = 0; v < kPer; ++v) {
        const int depth = k0 + b_word * kPer + v;
        values[v] = column0 + column < n && depth < k ? b[static_cast<long long>(depth) * n + column0 + column] : 0;
      }
      b_tile[column][b_word] = Format::word(values);
    }
    __syncthreads();
    unsigned a_part[kMmaRows][4], b_part[kMmaColumns][2];
#pragma unroll
    for (int i = 0; i < kMmaRows; ++i) {
      const int row = warp_row + 16 * i + group;
      a_part[i][0] = a_tile[row][member];
      a_part[i][1] = a_tile[row + 8][member];
      a_part[i][2] = a_tile[row][member + 4];
      a_part[i][3] = a_tile[row + 8][member + 4];
    }
#pragma unroll
    for (int j = 0; j < kMmaColumns; ++j) {
      const int column = warp_column + 8 * j + group;
      b_part[j][0] = b_tile[column][member];
      b_part[j][1] = b_tile[column][member + 4];
    }
#pragma unroll
    for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
      for (int j = 0; j < kMmaColumns; ++j) Format::multiply(sum[i][j], a_part[i], b_part[j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int j = 0; j < kMmaColumns; ++j) {
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        const int row = row0 + warp_row + 16 * i + group + v / 2 * 8;
        const int column = column0 + warp_column + 8 * j + 2 * member + v % 2;
        if (row < m && column < n) c[static_cast<long long>(row) * n + column] = sum[i][j][v];
      }
    }
  }
}

#define BB_GEMM_KERNEL(name, Format)                                                     \
  extern "C" __global__ void __launch_bounds__(kMmaThreads)                              \
      micro_gemm_##name(int m, int n, int k, const float* a, const float* b, float* c) { \
    gemm_tensor<Format>(m, n, k, a, b, c);                                               \
  }
BB_GEMM_KERNEL(tf32, Tf32)
BB_GEMM_KERNEL(bf16, Bf16)
BB_GEMM_KERNEL(fp16, Fp16)
#undef BB_GEMM_KERNEL

}  // namespace bb::micro
