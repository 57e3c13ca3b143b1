#pragma once

#include "cuda_sweep_common.cuh"

// The colliding warps of a sweep: energy gather and angle kernel of one row, from its stage into a tile.
namespace bb::transport::sweep {

__device__ inline float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }

__device__ inline float4 scaled(float w, const float4& v) { return {w * v.x, w * v.y, w * v.z, w * v.w}; }

__device__ inline float4 added(const float4& to, float w, const float4& v) {
  return {fmaf(w, v.x, to.x), fmaf(w, v.y, to.y), fmaf(w, v.z, to.z), fmaf(w, v.w, to.w)};
}

__device__ inline float4 sum_of(const float4& a, const float4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

__device__ inline float total(const float4& v) { return (v.x + v.y) + (v.z + v.w); }

/// Writes quad `q` of a tile's row, which may be mirrored.
__device__ inline void put(float* row, int q, int pitch, bool mirrored, const float4& v) {
  float* const to = row + (mirrored ? pitch - 4 - 4 * q : 4 * q);
  *reinterpret_cast<float4*>(to) = mirrored ? float4{v.w, v.z, v.y, v.x} : v;
}

/// Processes all rows of a column. `collide` processes one row and may wait for the other colliding warps.
template <typename F>
__device__ inline void each_row(const Work& w, F&& collide) {
  const int colliders = w.column.colliders;
  const int tile_warps = colliders + w.column.streamers;
  const int rows = w.p.tables.nz, stages = w.column.stages;
  const int stage_floats = w.column.stage_floats, tile_floats = w.column.tile_floats;
  const float* const stage_base = w.shared + w.column.stages_at + w.shift;
  float* const tile_base = w.shared + w.column.tiles_at;
  unsigned stage = 0, phase = 0;
  int t = 0;
  for (int row = 0; row < rows; ++row) {
    wait_for(full_barrier(w.shared, stage), phase);
    if (row >= kSweepTiles) wait_at(kTileFree + t, tile_warps);
    collide(stage_base + static_cast<int>(stage) * stage_floats, tile_base + t * tile_floats);
    __syncwarp();
    arrive_at(kTileFull + t, tile_warps);
    free_stage(w.shared, stage);
    t = t + 1 == kSweepTiles ? 0 : t + 1;
    if (++stage == static_cast<unsigned>(stages)) {
      stage = 0;
      phase ^= 1;
    }
  }
}

/// Collides bins with three-point angle kernels and neighbouring sources. A thread computes kSweepRun neighbouring
/// angles of a quad of columns of one bin, entirely in registers.
__device__ inline void collide_windowed(const Work& w, int thread, LedgerTally& tally) {
  const int pitch = w.p.pitch, quads = pitch / 4, ntheta = w.p.tables.ntheta;
  const int made = w.column.a1 - w.column.a0;
  const int runs = (made + kSweepRun - 1) / kSweepRun;
  const int b = thread / quads / runs;
  const int q = thread % quads;
  const bool active = b < w.group.bins;
  const int bin = active ? b : 0;
  float weight[kSweepTaps];
#pragma unroll
  for (int k = 0; k < kSweepTaps; ++k) weight[k] = w.group.weight[bin][bin + k];
  const float centre = w.group.angle[bin][0], beside = w.group.angle[bin][1];
  const int first = w.column.a0 + thread / quads % runs * kSweepRun;
  const int from_at = bin * kSweepSlot + (first - 1 - w.stage_low) * pitch + 4 * q;
  const int line = (bin * made + first - w.column.a0) * (pitch + 4) + 4;
  const int count = active ? min(kSweepRun, w.column.a1 - first) : 0;
  const int turned = min(max(w.turning - first, 0), kSweepRun);  // number of these angles that are mirrored
  // Content that scatters off the grid from the first and the last angle.
  const float begins = first == 0 ? beside : 0.0f;
  const int last = ntheta - 1 - first;
  float lost = 0;

  each_row(w, [&](const float* stage, float* tile) {
    if (count == 0) return;
    const float* from = stage + from_at;
    float* const to = tile + line;
    float4 here[kSweepRun + 2];
#pragma unroll
    for (int i = 0; i < kSweepRun + 2; ++i, from += pitch) {
      here[i] = scaled(weight[kSweepTaps - 1], load4(from + (kSweepTaps - 1) * kSweepSlot));
#pragma unroll
      for (int k = kSweepTaps - 2; k >= 0; --k) here[i] = added(here[i], weight[k], load4(from + k * kSweepSlot));
    }
    lost = fmaf(begins, total(here[1]), lost);
#pragma unroll
    for (int i = 0; i < kSweepRun; ++i) {
      if (i >= count) break;
      if (i == last) lost = fmaf(beside, total(here[i + 1]), lost);
      put(to + i * (pitch + 4), q, pitch, i < turned,
          added(scaled(beside, sum_of(here[i], here[i + 2])), centre, here[i + 1]));
    }
  });
  if (!active) return;
  // No thread processes both the first and the last angle, because plan_sweep rejects grids with so few angles.
  const double energy = w.p.tables.energy[w.group.bin + b];
  tally.escape(kThetaLow, first == 0 ? lost : 0.0f, energy);
  tally.escape(kThetaHigh, first == 0 ? 0.0f : lost, energy);
}

/// Convolves neighbouring angles of one quad of columns of a gathered bin, so that each row is read once for all of
/// them. Far terms are added first, so that FP32 sums have no systematic loss.
__device__ inline void convolve_angles(const float* gathered, const float* kernel, int half, int pitch,
                                       float4 (&sum)[kSweepTurned]) {
  const float* below = gathered;
  const float* above = gathered + 2 * half * pitch;
  float4 low[kSweepTurned], high[kSweepTurned];
#pragma unroll
  for (int i = 0; i < kSweepTurned; ++i) {
    sum[i] = {0, 0, 0, 0};
    low[i] = load4(below + i * pitch);
    high[i] = load4(above + i * pitch);
  }
  below += kSweepTurned * pitch;
#pragma unroll 3
  for (int d = half; d > 0; --d) {
    const float k = kernel[d];
#pragma unroll
    for (int i = 0; i < kSweepTurned; ++i) sum[i] = added(sum[i], k, sum_of(low[i], high[i]));
#pragma unroll
    for (int i = 0; i + 1 < kSweepTurned; ++i) {
      low[i] = low[i + 1];
      high[kSweepTurned - 1 - i] = high[kSweepTurned - 2 - i];
    }
    above -= pitch;
    low[kSweepTurned - 1] = load4(below);
    high[0] = load4(above);
    below += pitch;
  }
#pragma unroll
  for (int i = 0; i < kSweepTurned; ++i) sum[i] = added(sum[i], kernel[0], low[i]);
}

/// Collides bins with wide angle kernels. Gathered rows are exchanged through shared memory.
template <int kBins>
__device__ inline void collide_wide(const Work& w, int thread, LedgerTally& tally) {
  const int pitch = w.p.pitch, quads = pitch / 4, ntheta = w.p.tables.ntheta;
  const int made = w.column.a1 - w.column.a0, half = w.group.half;
  const int threads = w.column.colliders * 32;
  const int sources = w.group.sources, stride = w.source_floats;
  const int bin_floats = (made + 2 * half + kSweepTurned - 1) * pitch;
  float* const gathered = w.shared + w.column.gathered_at;
  float* const kernels = w.shared + w.column.kernels_at;  // [bin][distance]
  float* const shares = kernels + kBins * (half + 1);     // [end][bin][angle of the column] share sent off the grid
  for (int i = thread; i < kBins * (half + 1); i += threads) kernels[i] = w.s.kernels[w.group.kernel_at + i];
  for (int i = thread; i < kBins * made; i += threads) {
    const int a = w.column.a0 + i % made;
    const float* const lost = w.p.lost + (w.group.bin + i / made) * ntheta + a;
    shares[i] = a < half ? lost[0] : 0.0f;
    shares[kBins * made + i] = a + half >= ntheta ? lost[w.p.lost_high] : 0.0f;
  }
  // Gather work of a thread: every `together`-th angle of the sources.
  const int together = threads / quads;
  const int q = thread % quads;
  const int line0 = thread / quads < together ? thread / quads : w.high - w.low;
  float* const to0 = gathered + (w.low - w.column.a0 + half) * pitch + 4 * q;
  // Convolution work of a thread: a run of angles of one bin.
  const int runs = (made + kSweepTurned - 1) / kSweepTurned;
  const int b = thread / quads / runs;
  const int first = thread / quads % runs * kSweepTurned;  // relative to a0
  const bool turns = b < kBins;
  const float* const turned_from = gathered + b * bin_floats + first * pitch + 4 * q;
  const int turned_to = (b * made + first) * (pitch + 4) + 4;
  const bool edge = w.column.a0 < half || w.column.a1 + half > ntheta;
  float below = 0, above = 0;
  wait_at(kGathered, w.column.colliders);
  each_row(w, [&](const float* stage, float* tile) {
    for (int line = line0; line < w.high - w.low; line += together) {
      float4 sum[kBins];
#pragma unroll
      for (int n = 0; n < kBins; ++n) sum[n] = {0, 0, 0, 0};
      const float* from = stage + line * pitch + 4 * q;
#pragma unroll 2
      for (int n = 0; n < sources; ++n, from += stride) {
        const float4 v = load4(from);
#pragma unroll
        for (int k = 0; k < kBins; ++k) sum[k] = added(sum[k], w.group.weight[k][n], v);
      }
#pragma unroll
      for (int k = 0; k < kBins; ++k) *reinterpret_cast<float4*>(to0 + line * pitch + k * bin_floats) = sum[k];
    }
    __syncwarp();
    wait_at(kGathered, w.column.colliders);
    if (turns) {
      float4 sum[kSweepTurned];
      convolve_angles(turned_from, kernels + b * (half + 1), half, pitch, sum);
#pragma unroll
      for (int i = 0; i < kSweepTurned; ++i) {
        if (first + i >= made) break;
        put(tile + turned_to + i * (pitch + 4), q, pitch, w.column.a0 + first + i < w.turning, sum[i]);
        if (edge) {
          const float protons = total(load4(turned_from + (half + i) * pitch));
          below = fmaf(shares[b * made + first + i], protons, below);
          above = fmaf(shares[(kBins + b) * made + first + i], protons, above);
        }
      }
    }
    __syncwarp();
    wait_at(kTurned, w.column.colliders);
  });
  if (!turns) return;
  tally.escape(kThetaLow, below, w.p.tables.energy[w.group.bin + b]);
  tally.escape(kThetaHigh, above, w.p.tables.energy[w.group.bin + b]);
}

__device__ inline void collide_column(const Work& w, int thread, LedgerTally& tally) {
  if (w.group.windowed != 0) {
    collide_windowed(w, thread, tally);
  } else if (w.group.bins == 1) {
    collide_wide<1>(w, thread, tally);
  } else if (w.group.bins == 2) {
    collide_wide<2>(w, thread, tally);
  } else {
    each_row(w, [](const float*, float*) {});
  }
}

}  // namespace bb::transport::sweep
