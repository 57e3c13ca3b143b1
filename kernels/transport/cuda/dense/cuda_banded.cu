#include "cuda_banded.hpp"
#include "tensor.cuh"
#include "transport/cuda/cuda_common.cuh"

// Angle convolution on the tensor cores, as the product of a banded matrix and many columns. Numbers are split into
// TF32 parts, and the significant products of the parts are added in FP32.
namespace bb::transport {

/// The angle kernel of one material and energy.
struct AngleBand {
  const float* weights;
  int half;

  /// Weight off the diagonal of the band. The diagonal product is added separately: most protons keep their angle in a
  /// step, and sums on the tensor cores are truncated.
  __device__ float off_diagonal(int to, int from) const {
    const int distance = to > from ? to - from : from - to;
    return distance > 0 && distance <= half ? weights[distance] : 0.0f;
  }
};

__device__ inline AngleBand band_of(const DeviceTables<float>& t, int material, int e) {
  const int row = table_row(t, 0, material, e);
  return {t.angle_weight + t.angle_begin[row], t.angle_begin[row + 1] - t.angle_begin[row] - 1};
}

/// Computes 16 angles from `a0` in 32 cells from `c0`, all of one material. `from` and `to` are the fields of a bin,
/// [θ][cell].
__device__ inline void banded_tile(const DeviceStep<float>& s, const AngleBand& band, const float* from, float* to,
                                   int a0, int c0) {
  const int ntheta = s.tables.ntheta, cells = field_cells(s);
  const auto [group, member] = fragment_lane();
  const auto value = [&](int angle, int cell) {
    return angle >= 0 && angle < ntheta && cell < cells ? from[static_cast<long long>(angle) * cells + cell] : 0.0f;
  };
  float sum[4][4] = {};
  const int first = a0 - (band.half + Tf32::kDepth - 1) / Tf32::kDepth * Tf32::kDepth;
  for (int b0 = first; b0 < a0 + kBandedAngles + band.half; b0 += Tf32::kDepth) {
    unsigned high[4], low[4], last[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const SplitTf32 w(band.off_diagonal(a0 + group + k % 2 * 8, b0 + member + k / 2 * 4));
      high[k] = w.high;
      low[k] = w.low;
      last[k] = w.last;
    }
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
      const SplitTf32 p(value(b0 + member, c0 + tile * 8 + group)), q(value(b0 + member + 4, c0 + tile * 8 + group));
      const unsigned own[2] = {p.high, q.high}, rest[2] = {p.low, q.low}, least[2] = {p.last, q.last};
      // The weights sum to 1 only with these last bits. Without them, the same error would occur in every step.
      add_product(sum[tile], last, own);
      add_product(sum[tile], high, least);
      add_product(sum[tile], low, own);
      add_product(sum[tile], high, rest);
      add_product(sum[tile], high, own);
    }
  }
#pragma unroll
  for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int a = a0 + group + k / 2 * 8, cell = c0 + tile * 8 + member * 2 + k % 2;
      if (a >= ntheta || cell >= cells) continue;
      const long long at = static_cast<long long>(a) * cells + cell;
      to[at] = fmaf(band.weights[0], from[at], sum[tile][k]);
    }
  }
}

/// Blocks have kBandedWarps warps. blockIdx.y is the group of kBandedAngles angles, blockIdx.z the launched energy bin.
extern "C" __global__ void __launch_bounds__(32 * kBandedWarps)
    banded_scatter_angles_f32(const __grid_constant__ DeviceStep<float> s) {
  if (run_is_over(s)) return;
  const DeviceTables<float>& t = s.tables;
  const int cells = field_cells(s), lane = static_cast<int>(threadIdx.x) % 32;
  const int a0 = static_cast<int>(blockIdx.y) * kBandedAngles, e = s.first_bin + static_cast<int>(blockIdx.z);
  const int c0 = (static_cast<int>(blockIdx.x) * kBandedWarps + static_cast<int>(threadIdx.x) / 32) * kBandedCells;
  const float* from = s.from + field_offset(s, e, 0);
  float* to = s.to + field_offset(s, e, 0);
  AngleLoss lost;
  if (c0 < cells) {  // equal in all threads of a warp
    const bool inside = c0 + lane < cells;
    const int cell = inside ? c0 + lane : cells - 1, m = material_of(s, cell);
    const AngleBand own = band_of(t, m, e);
    const bool alike = __all_sync(kWholeWarp, m == __shfl_sync(kWholeWarp, m, 0)) != 0;
    if (alike) banded_tile(s, own, from, to, a0, c0);
    for (int a = a0; inside && a < min(a0 + kBandedAngles, t.ntheta); ++a) {
      const float protons = from[static_cast<long long>(a) * cells + cell];
      lose_angles(own.weights, own.half, a, t.ntheta, protons, lost);
      if (alike) continue;
      // Cells of several materials: each thread sums one cell, from the small terms at large distances to the large
      // ones.
      float sum = 0;
      for (int k = own.half; k > 0; --k) {
        const float below = a >= k ? from[static_cast<long long>(a - k) * cells + cell] : 0.0f;
        const float above = a + k < t.ntheta ? from[static_cast<long long>(a + k) * cells + cell] : 0.0f;
        sum += own.weights[k] * (below + above);
      }
      to[static_cast<long long>(a) * cells + cell] = sum + own.weights[0] * protons;
    }
  }
  block_escape(ledger_row(s.scores, s.step), lost, t.energy[e]);
}

}  // namespace bb::transport
