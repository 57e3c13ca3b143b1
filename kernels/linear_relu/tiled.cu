#include "rectify.cuh"

// A block of 32 x 32 threads computes a tile of 32 x 32 outputs, one per thread. Tiles of both operands pass through
// shared memory, so that each value is read from global memory once per 32 outputs.

constexpr unsigned kTile = 32;

// kAk, kBk: true if k is the contiguous index of operand A or B. `rectify`: adds the bias (may be null) and applies
// max(z, 0).
template <bool kAk, bool kBk, bool kRectify>
__device__ __forceinline__ void tiled_product(const float* __restrict__ a, const float* __restrict__ b,
                                              const float* __restrict__ bias, float* __restrict__ out, unsigned rows,
                                              unsigned columns, unsigned depth) {
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];  // [m][k], [k][n]; pad: no bank conflicts
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned first_m = blockIdx.y * kTile, first_n = blockIdx.x * kTile;
  const auto read = [](const float* from, unsigned slow, unsigned fast, unsigned most_slow, unsigned most_fast) {
    return slow < most_slow && fast < most_fast ? from[static_cast<unsigned long long>(slow) * most_fast + fast] : 0.0f;
  };
  float sum = 0.0f;
  for (unsigned first_k = 0; first_k < depth; first_k += kTile) {
    // threadIdx.x runs along the contiguous index, so reads are coalesced for either layout.
    if constexpr (kAk) {
      left[y][x] = read(a, first_m + y, first_k + x, rows, depth);
    } else {
      left[x][y] = read(a, first_k + y, first_m + x, depth, rows);
    }
    if constexpr (kBk) {
      right[x][y] = read(b, first_n + y, first_k + x, columns, depth);
    } else {
      right[y][x] = read(b, first_k + y, first_n + x, depth, columns);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTile; ++k) sum = fmaf(left[y][k], right[k][x], sum);
    __syncthreads();
  }
  const unsigned m = first_m + y, n = first_n + x;
  if (m >= rows || n >= columns) return;
  if constexpr (kRectify) sum = rectified(bias != nullptr ? sum + bias[n] : sum);
  out[static_cast<unsigned long long>(m) * columns + n] = sum;
}

#define BB_TILED(name, a_k, b_k, rectify)                                                            \
  extern "C" __global__ void __launch_bounds__(kTile* kTile)                                         \
      name(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ bias, \
           float* __restrict__ out, unsigned rows, unsigned columns, unsigned depth) {               \
    tiled_product<a_k, b_k, rectify>(a, b, bias, out, rows, columns, depth);                         \
  }

BB_TILED(linear_relu_tiled, true, true, true)
BB_TILED(linear_relu_tiled_nn, true, false, false)
BB_TILED(linear_relu_tiled_tn, false, false, false)
