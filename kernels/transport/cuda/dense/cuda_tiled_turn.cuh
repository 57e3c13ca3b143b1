#pragma once

#include "cuda_tiled.hpp"
#include "transport/cuda/cuda_common.cuh"

// Energy gather and angle convolution of a tile in one pass. The gather fills rows of angles in shared memory, from
// which the convolution reads neighbours.
namespace bb::transport {

/// `kWide` neighbouring cells, accessed as one word.
template <int kWide>
struct alignas(sizeof(float) * kWide) Pack {
  float v[kWide];

  __device__ void add(float weight, const Pack& p) {
#pragma unroll
    for (int j = 0; j < kWide; ++j) v[j] += weight * p.v[j];
  }
};

/// Whether all cells of a pack have the same material, which is then `material`.
template <int kWide>
__device__ inline bool one_material(const DeviceStep<float>& s, int i, int material) {
  bool same = true;
  for (int j = 1; j < kWide; ++j) same = same && material_of(s, i + j) == material;
  return same;
}

/// ψ after the energy gather, in `kWide` cells from `i` of field (e, a).
template <int kWide>
__device__ inline Pack<kWide> gather_energies(const DeviceStep<float>& s, int e, int a, int i) {
  const DeviceTables<float>& t = s.tables;
  Pack<kWide> sum{};
  const int m = material_of(s, i);
  if (one_material<kWide>(s, i, m)) {
    const int row = table_row(t, 0, m, e);
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      sum.add(t.gather_weight[k],
              *reinterpret_cast<const Pack<kWide>*>(s.from + field_offset(s, t.gather_source[k], a) + i));
    }
    return sum;
  }
  for (int j = 0; j < kWide; ++j) {
    const int row = table_row(t, 0, material_of(s, i + j), e);
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      sum.v[j] += t.gather_weight[k] * s.from[field_offset(s, t.gather_source[k], a) + i + j];
    }
  }
  return sum;
}

/// Rows of angles of a bin, in shared memory. Row `reach` + n is angle n of the tile.
template <int kWide>
struct AngleTile {
  float* cells;  // [angles + 2·reach][kTurnPitch]
  int reach;     // half width of the bin's widest angle kernel

  __device__ Pack<kWide>& word(int row, int lane) const {
    return *reinterpret_cast<Pack<kWide>*>(cells + row * kTurnPitch + lane * kWide);
  }
};

/// Convolves one word of one angle, with a kernel per cell for its material.
template <int kWide>
__device__ inline Pack<kWide> convolve_mixed(const DeviceStep<float>& s, const AngleTile<kWide>& tile, int row,
                                             int lane, int e, int a, int i, AngleLoss& lost) {
  const DeviceTables<float>& t = s.tables;
  const Pack<kWide> own = tile.word(row, lane);
  Pack<kWide> sum{};
#pragma unroll
  for (int j = 0; j < kWide; ++j) {
    const int table = table_row(t, 0, material_of(s, i + j), e);
    const float* w = t.angle_weight + t.angle_begin[table];
    const int half = t.angle_begin[table + 1] - t.angle_begin[table] - 1;
    for (int k = half; k > 0; --k) sum.v[j] += w[k] * (tile.word(row - k, lane).v[j] + tile.word(row + k, lane).v[j]);
    sum.v[j] += w[0] * own.v[j];
    lose_angles(w, half, a, t.ntheta, own.v[j], lost);
  }
  return sum;
}

/// Convolves one word of kTurnGroup angles from row `row` with the weights `padded`: distance k is at padded[k +
/// kTurnGroup - 1], zero for k <= 0 and beyond `half`. Each row is read once for all these angles. Each side is summed
/// separately, from small terms to large ones, because FP32 would lose small terms in the total.
template <int kWide>
__device__ inline void convolve(const AngleTile<kWide>& tile, int row, int lane, const float* padded, int half,
                                float centre, Pack<kWide> (&out)[kTurnGroup]) {
  constexpr int kZero = kTurnGroup - 1;
  Pack<kWide> above[kTurnGroup] = {};
  float w[kTurnGroup];
  for (int j = 0; j < kTurnGroup; ++j) {
    out[j] = {};
    w[j] = padded[kZero + half + 1 + j];
  }
#pragma unroll 4
  for (int d = -half; d < kTurnGroup - 1; ++d) {
#pragma unroll
    for (int j = kTurnGroup - 1; j > 0; --j) w[j] = w[j - 1];
    w[0] = padded[kZero - d];
    const Pack<kWide> p = tile.word(row + d, lane);
#pragma unroll
    for (int j = 0; j < kTurnGroup; ++j) out[j].add(w[j], p);
  }
  // For rows on the other side, angle j is at distance d - j.
  for (int j = 0; j < kTurnGroup; ++j) w[j] = padded[kZero + half + kTurnGroup - j];
#pragma unroll 4
  for (int d = half + kTurnGroup - 1; d > 0; --d) {
#pragma unroll
    for (int j = 0; j < kTurnGroup - 1; ++j) w[j] = w[j + 1];
    w[kTurnGroup - 1] = padded[kZero + d - kTurnGroup + 1];
    const Pack<kWide> p = tile.word(row + d, lane);
#pragma unroll
    for (int j = 0; j < kTurnGroup; ++j) above[j].add(w[j], p);
  }
#pragma unroll
  for (int j = 0; j < kTurnGroup; ++j) {
    for (int n = 0; n < kWide; ++n) out[j].v[n] += above[j].v[n];
    out[j].add(centre, tile.word(row + j, lane));
  }
}

/// Grid: (⌈cells/32⌉, ⌈ntheta/angles⌉, ne). Shared memory: the tile with the widest halo of all bins, then the padded
/// weights.
template <int kWide>
__device__ void tiled_turn(const DeviceStep<float>& s, int angles, float* shared) {
  if (run_is_over(s)) return;
  constexpr int kLanes = kTurnCells / kWide;
  const DeviceTables<float>& t = s.tables;
  const int cells = field_cells(s);
  const int i0 = blockIdx.x * kTurnCells;
  const int a0 = blockIdx.y * angles;
  const int e = blockIdx.z;
  AngleTile<kWide> tile{shared, 0};
  for (int m = 0; m < t.materials; ++m) {
    const int row = table_row(t, 0, m, e);
    tile.reach = max(tile.reach, t.angle_begin[row + 1] - t.angle_begin[row] - 1);
  }

  for (int n = threadIdx.x; n < (angles + 2 * tile.reach) * kLanes; n += kTurnThreads) {
    const int a = a0 - tile.reach + n / kLanes;
    const int i = i0 + n % kLanes * kWide;
    const bool inside = a >= 0 && a < t.ntheta && i < cells;
    tile.word(n / kLanes, n % kLanes) = inside ? gather_energies<kWide>(s, e, a, i) : Pack<kWide>{};
  }
  const int material = material_of(s, i0);
  const int table = table_row(t, 0, material, e);
  const float* w = t.angle_weight + t.angle_begin[table];
  const int half = t.angle_begin[table + 1] - t.angle_begin[table] - 1;
  float* padded = shared + (angles + 2 * t.angle_half_max) * kTurnPitch;
  for (int n = threadIdx.x; n < half + 2 * kTurnGroup; n += kTurnThreads) {
    const int k = n - (kTurnGroup - 1);
    padded[n] = k > 0 && k <= half ? w[k] : 0.0f;
  }
  const int own = i0 + static_cast<int>(threadIdx.x) % kTurnCells;
  const bool uniform = __syncthreads_and(own >= cells || material_of(s, own) == material) != 0;

  AngleLoss lost;
  for (int n = threadIdx.x; n < (angles + kTurnGroup - 1) / kTurnGroup * kLanes; n += kTurnThreads) {
    const int lane = n % kLanes;
    const int first = n / kLanes * kTurnGroup;
    const int i = i0 + lane * kWide;
    if (i >= cells) continue;
    Pack<kWide> out[kTurnGroup];
    if (uniform) convolve<kWide>(tile, tile.reach + first, lane, padded, half, w[0], out);
#pragma unroll
    for (int j = 0; j < kTurnGroup; ++j) {
      const int a = a0 + first + j;
      if (first + j >= angles || a >= t.ntheta) break;
      const int row = tile.reach + first + j;
      if (!uniform) {
        out[j] = convolve_mixed<kWide>(s, tile, row, lane, e, a, i, lost);
      } else if (a < half || a >= t.ntheta - half) {
        const float* weights = padded + kTurnGroup - 1;
        float protons = 0.0f;
        for (const float p : tile.word(row, lane).v) protons += p;
        lose_angles(weights, half, a, t.ntheta, protons, lost);
      }
      *reinterpret_cast<Pack<kWide>*>(s.to + field_offset(s, e, a) + i) = out[j];
    }
  }
  block_escape(ledger_row(s.scores, s.step), lost, t.energy[e]);
}

}  // namespace bb::transport
