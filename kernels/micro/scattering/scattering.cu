// Columns of an array [angle][cell] are convolved with a symmetric kernel along the angles: by direct sums, through a
// spectrum, or as the product with a banded matrix on the tensor cores.
#include "micro/row/common.cuh"
#include "tensor.cuh"

namespace bb::micro {

inline constexpr int kScatterAngles = 8;  // angles per block of the direct kernel

struct ScatterShape {
  int angles, cells, reach;
};

/// Blocks of 32 cells by kScatterAngles angles, as in the transport kernels that gather.
extern "C" __global__ void __launch_bounds__(32 * kScatterAngles)
    micro_scatter_direct(ScatterShape s, const float* __restrict__ weights, const float* __restrict__ in,
                         float* __restrict__ out) {
  const int i = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int a = static_cast<int>(blockIdx.y * kScatterAngles + threadIdx.y);
  if (i >= s.cells || a >= s.angles) return;
  const float* own = in + static_cast<long long>(a) * s.cells + i;
  float sum = 0;
  // Sums from the small weights at large distances to the large ones, to reduce rounding errors.
#pragma unroll 4
  for (int k = s.reach; k > 0; --k) {
    const long long away = static_cast<long long>(k) * s.cells;
    sum += weights[k] * ((a >= k ? own[-away] : 0.0f) + (a + k < s.angles ? own[away] : 0.0f));
  }
  out[static_cast<long long>(a) * s.cells + i] = sum + weights[0] * *own;
}

/// Multiplies each frequency [frequency][cell], a pair of numbers, by a real spectrum.
extern "C" __global__ void __launch_bounds__(256)
    micro_scatter_spectrum(int cells, const float* __restrict__ spectrum, float2* values) {
  const int i = static_cast<int>(global_thread());
  if (i >= cells) return;
  float2* at = values + static_cast<long long>(blockIdx.y) * cells + i;
  const float by = spectrum[blockIdx.y];
  const float2 value = *at;
  *at = make_float2(by * value.x, by * value.y);
}

// Tile of a warp: 16 angles of 32 cells, as four instructions of eight adjacent cells. The warp multiplies only the
// part of the band that reaches those angles.
inline constexpr int kBandAngles = 16, kBandCells = 32, kBandWarps = 4;

struct Band {
  ScatterShape s;
  const float* weights;
  const float* in;

  __device__ float weight(int to, int from) const {
    const int distance = to > from ? to - from : from - to;
    return distance <= s.reach ? weights[distance] : 0.0f;
  }
  __device__ float value(int angle, int cell) const {
    return angle >= 0 && angle < s.angles && cell < s.cells ? in[static_cast<long long>(angle) * s.cells + cell] : 0.0f;
  }
};

/// `kParts` is 1 to multiply the rounded numbers, or 3 to add the two products with the rounding errors.
template <int kParts>
__device__ void band_tf32(const Band& band, float* out) {
  const auto [group, member] = fragment_lane();
  const int a0 = static_cast<int>(blockIdx.y) * kBandAngles;
  const int c0 = (static_cast<int>(blockIdx.x) * kBandWarps + static_cast<int>(threadIdx.x) / 32) * kBandCells;
  float sum[4][4] = {};
  for (int b0 = a0 - (band.s.reach + 7) / 8 * 8; b0 <= a0 + kBandAngles - 1 + band.s.reach; b0 += Tf32::kDepth) {
    unsigned high[4], low[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const SplitTf32 w(band.weight(a0 + group + k % 2 * 8, b0 + member + k / 2 * 4));
      high[k] = w.high;
      low[k] = w.low;
    }
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
      const SplitTf32 p(band.value(b0 + member, c0 + tile * 8 + group)),
          q(band.value(b0 + member + 4, c0 + tile * 8 + group));
      const unsigned own[2] = {p.high, q.high};
      if (kParts == 3) {
        const unsigned rest[2] = {p.low, q.low};
        add_product(sum[tile], low, own);
        add_product(sum[tile], high, rest);
      }
      add_product(sum[tile], high, own);
    }
  }
#pragma unroll
  for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int a = a0 + group + k / 2 * 8, cell = c0 + tile * 8 + member * 2 + k % 2;
      if (a < band.s.angles && cell < band.s.cells) out[static_cast<long long>(a) * band.s.cells + cell] = sum[tile][k];
    }
  }
}

__device__ inline void band_bf16(const Band& band, float* out) {
  const auto [group, member] = fragment_lane();
  const int a0 = static_cast<int>(blockIdx.y) * kBandAngles;
  const int c0 = (static_cast<int>(blockIdx.x) * kBandWarps + static_cast<int>(threadIdx.x) / 32) * kBandCells;
  float sum[4][4] = {};
  for (int b0 = a0 - (band.s.reach + 15) / 16 * 16; b0 <= a0 + kBandAngles - 1 + band.s.reach; b0 += Bf16::kDepth) {
    unsigned matrix[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int a = a0 + group + k % 2 * 8, b = b0 + member * 2 + k / 2 * 8;
      matrix[k] = Bf16::word({band.weight(a, b), band.weight(a, b + 1)});
    }
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
      const int cell = c0 + tile * 8 + group, b = b0 + member * 2;
      const unsigned values[2] = {Bf16::word({band.value(b, cell), band.value(b + 1, cell)}),
                                  Bf16::word({band.value(b + 8, cell), band.value(b + 9, cell)})};
      Bf16::multiply(sum[tile], matrix, values);
    }
  }
#pragma unroll
  for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int a = a0 + group + k / 2 * 8, cell = c0 + tile * 8 + member * 2 + k % 2;
      if (a < band.s.angles && cell < band.s.cells) out[static_cast<long long>(a) * band.s.cells + cell] = sum[tile][k];
    }
  }
}

extern "C" __global__ void __launch_bounds__(32 * kBandWarps)
    micro_scatter_tf32(ScatterShape s, const float* __restrict__ weights, const float* __restrict__ in,
                       float* __restrict__ out) {
  band_tf32<1>({s, weights, in}, out);
}

extern "C" __global__ void __launch_bounds__(32 * kBandWarps)
    micro_scatter_3xtf32(ScatterShape s, const float* __restrict__ weights, const float* __restrict__ in,
                         float* __restrict__ out) {
  band_tf32<3>({s, weights, in}, out);
}

extern "C" __global__ void __launch_bounds__(32 * kBandWarps)
    micro_scatter_bf16(ScatterShape s, const float* __restrict__ weights, const float* __restrict__ in,
                       float* __restrict__ out) {
  band_bf16({s, weights, in}, out);
}

}  // namespace bb::micro
