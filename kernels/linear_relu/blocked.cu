#include "rectify.cuh"
#include "tuning/tunable.hpp"

// A block of 256 threads computes a tile of 128 x 128 outputs, 8 x 8 per thread in registers. Tiles of both operands,
// 16 values of k deep, pass through two buffers in shared memory: the next tile is copied (cp.async) while the current
// one is multiplied. Shared tiles are [k][m] and [k][n], so that a thread reads its values as float4.

constexpr unsigned kBlockedThreads = 256;
constexpr unsigned kBlockM = 128, kBlockN = 128;
BB_TUNABLE(unsigned, kBlockK, 16);
BB_TUNABLE(unsigned, kUnrolled, 16);  // values of k per pass of the unrolled loop
// Row length of a shared tile in floats: 128 and a padding of 4. The copies of a warp, 8 values of k by 4 of m, then
// fall into 32 different banks.
BB_TUNABLE(unsigned, kPitch, 132);

// Copies 4 bytes from global to shared memory without passing registers; writes zero if `inside` is false.
__device__ __forceinline__ void copy_async(float* to, const float* from, bool inside) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = inside ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(address), "l"(from), "r"(bytes));
}
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;\n" ::); }
template <int kPending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kPending));
}

// Copies the tile of operand `from` that begins at (first, first_k) to `tile`[k][i]. kContiguousK: the operand is
// [size][depth], otherwise [depth][size].
template <bool kContiguousK>
__device__ __forceinline__ void copy_tile(float (*tile)[kPitch], const float* __restrict__ from, unsigned first,
                                          unsigned first_k, unsigned size, unsigned depth) {
  const unsigned thread = threadIdx.x;
  if constexpr (kContiguousK) {
    // Eight threads along k read one complete sector of 32 bytes. A block reads sectors of 32 rows at once.
    const unsigned k = thread % 8, i = thread / 8;
#pragma unroll
    for (unsigned part = 0; part < kBlockM / 32; ++part) {
      const unsigned row = first + i + 32 * part;
      const float* base = from + static_cast<unsigned long long>(row < size ? row : 0) * depth;
#pragma unroll
      for (unsigned half = 0; half < kBlockK / 8; ++half) {
        const unsigned at = first_k + k + 8 * half;
        const bool inside = row < size && at < depth;
        copy_async(&tile[k + 8 * half][i + 32 * part], base + (inside ? at : 0), inside);
      }
    }
  } else {
    const unsigned i = thread % kBlockM, k = thread / kBlockM;
    const unsigned column = first + i;
#pragma unroll
    for (unsigned part = 0; part < kBlockK / 2; ++part) {
      const unsigned at = first_k + k + 2 * part;
      const bool inside = column < size && at < depth;
      copy_async(&tile[k + 2 * part][i], from + (inside ? static_cast<unsigned long long>(at) * size + column : 0),
                 inside);
    }
  }
}

// Operation on a product before it is written.
enum class OutputOperation { kNone, kRectify, kAny };

template <bool kAk, bool kBk, OutputOperation kFinish>
__device__ __forceinline__ void blocked_product(const float* __restrict__ a, const float* __restrict__ b,
                                                const float* __restrict__ bias, float* __restrict__ out, unsigned rows,
                                                unsigned columns, unsigned depth,
                                                const float* __restrict__ residual = nullptr, int activation = 0) {
  __shared__ __align__(16) float left[2][kBlockK][kPitch], right[2][kBlockK][kPitch];
  const unsigned first_m = blockIdx.y * kBlockM, first_n = blockIdx.x * kBlockN;
  // A warp computes 32 x 64 outputs. Each thread computes two runs of 4 outputs along each side, so the float4 reads of
  // a warp have consecutive or equal addresses.
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned m0 = (warp / 2) * 32 + (lane / 8) * 4, n0 = (warp % 2) * 64 + (lane % 8) * 4;
  float sums[8][8] = {};
  copy_tile<kAk>(left[0], a, first_m, 0, rows, depth);
  copy_tile<kBk>(right[0], b, first_n, 0, columns, depth);
  commit_copies();
  unsigned now = 0;
  for (unsigned first_k = 0; first_k < depth; first_k += kBlockK, now ^= 1) {
    wait_copies<0>();
    __syncthreads();  // the tile has arrived, and no thread still reads the other buffer
    if (first_k + kBlockK < depth) {
      copy_tile<kAk>(left[now ^ 1], a, first_m, first_k + kBlockK, rows, depth);
      copy_tile<kBk>(right[now ^ 1], b, first_n, first_k + kBlockK, columns, depth);
      commit_copies();
    }
#pragma unroll kUnrolled
    for (unsigned k = 0; k < kBlockK; ++k) {
      float m[8], n[8];
      *reinterpret_cast<float4*>(&m[0]) = *reinterpret_cast<const float4*>(&left[now][k][m0]);
      *reinterpret_cast<float4*>(&m[4]) = *reinterpret_cast<const float4*>(&left[now][k][m0 + 16]);
      *reinterpret_cast<float4*>(&n[0]) = *reinterpret_cast<const float4*>(&right[now][k][n0]);
      *reinterpret_cast<float4*>(&n[4]) = *reinterpret_cast<const float4*>(&right[now][k][n0 + 32]);
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) {
#pragma unroll
        for (unsigned j = 0; j < 8; ++j) sums[i][j] = fmaf(m[i], n[j], sums[i][j]);
      }
    }
  }
  const bool aligned = columns % 4 == 0;
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned row = first_m + m0 + (i < 4 ? i : i + 12);
    if (row >= rows) continue;
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned column = first_n + n0 + 32 * half;
      float values[4];
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
        float z = sums[i][4 * half + j];
        if constexpr (kFinish != OutputOperation::kNone) {
          if (bias != nullptr && column + j < columns) z += bias[column + j];
          if constexpr (kFinish == OutputOperation::kRectify) {
            z = rectified(z);
          } else {
            if (residual != nullptr && column + j < columns)
              z += residual[static_cast<unsigned long long>(row) * columns + column + j];
            z = apply_activation(z, activation);
          }
        }
        values[j] = z;
      }
      float* to = out + static_cast<unsigned long long>(row) * columns + column;
      if (aligned && column + 4 <= columns) {
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(values);
      } else {
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
          if (column + j < columns) to[j] = values[j];
        }
      }
    }
  }
}

#define BB_BLOCKED(name, a_k, b_k, finish)                                                           \
  extern "C" __global__ void __launch_bounds__(kBlockedThreads, 2)                                   \
      name(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ bias, \
           float* __restrict__ out, unsigned rows, unsigned columns, unsigned depth) {               \
    blocked_product<a_k, b_k, finish>(a, b, bias, out, rows, columns, depth);                        \
  }

BB_BLOCKED(linear_relu_blocked, true, true, OutputOperation::kRectify)
BB_BLOCKED(linear_relu_blocked_nn, true, false, OutputOperation::kNone)
BB_BLOCKED(linear_relu_blocked_tn, false, false, OutputOperation::kNone)

// Forward direction with any activation; `residual` may be null.
extern "C" __global__ void __launch_bounds__(kBlockedThreads, 2)
    linear_relu_blocked_finish(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ bias,
                               float* __restrict__ out, unsigned rows, unsigned columns, unsigned depth,
                               const float* __restrict__ residual, int activation) {
  blocked_product<true, true, OutputOperation::kAny>(a, b, bias, out, rows, columns, depth, residual, activation);
}
