// Row 14: C = A B on the tensor cores, sums in FP32. Inputs are FP32 in memory and rounded to TF32, BF16 or FP16
// on their way into shared memory. Written with the instruction itself, mma.sync (PTX ISA 8, "Matrix fragments
// for mma.m16n8k8 / m16n8k16"): nothing to include, so that NVRTC compiles it too.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr int kMmaTile = 128;     // rows and columns of C that a block computes
inline constexpr int kMmaThreads = 256;  // 8 warps, 2 x 4: each 64 x 32 of C, 4 x 4 instructions of 16 x 8
inline constexpr int kMmaRows = 4, kMmaColumns = 4;

/// A lane's place: fragments are laid out by groups of four lanes.
struct LanePlace {
  int group, member;
};
__device__ inline LanePlace lane_place() {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return {lane / 4, lane % 4};
}

/// A 32-bit word of shared memory holds `kPerWord` values that follow each other along k.
struct Tf32 {
  static constexpr int kPerWord = 1, kDepth = 8;  // k of one instruction
  __device__ static unsigned word(const float (&v)[1]) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v[0]));
    return bits;
  }
  __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Bf16 {
  static constexpr int kPerWord = 2, kDepth = 16;
  __device__ static unsigned word(const float (&v)[2]) {
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(v[1]), "f"(v[0]));
    return bits;
  }
  __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

struct Fp16 {
  static constexpr int kPerWord = 2, kDepth = 16;
  __device__ static unsigned word(const float (&v)[2]) {
    unsigned bits;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(v[1]), "f"(v[0]));
    return bits;
  }
  __device__ static void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

/// One round takes 8 words along k of both tiles, [row of A or column of B][word]; 12 words a row keep the 8
/// groups of a warp in different banks.
template <typename Format>
__device__ void gemm_tensor(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c) {
  constexpr int kWords = 8, kRow = 12, kPer = Format::kPerWord, kRound = kWords * kPer;
  static_assert(kRound == Format::kDepth, "one instruction a round, fragment and round");
  __shared__ unsigned a_tile[kMmaTile][kRow], b_tile[kMmaTile][kRow];
  const int t = static_cast<int>(threadIdx.x), warp = t / 32;
  const int row0 = static_cast<int>(blockIdx.y) * kMmaTile, column0 = static_cast<int>(blockIdx.x) * kMmaTile;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  const auto [group, member] = lane_place();
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
