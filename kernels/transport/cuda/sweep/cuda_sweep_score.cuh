#pragma once

#include "cuda_sweep_collide.cuh"
#include "transport/cuda/cuda_common.cuh"

// The scoring warps of a sweep: scores of a row's protons. A thread processes a quad of columns of all scored bins and
// a part of the angles. It adds to scores of its own block. Blocks march through the same rows at the same time and
// would wait for each other if they added to the fields directly.
namespace bb::transport::sweep {

inline constexpr int kRecent = 16;  // rows that are summed in FP32

__device__ inline void add_quad(float* to, const float4& v) {
#if __CUDA_ARCH__ >= 900 && (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 1))
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
#else
  atomicAdd(to, v.x);
  atomicAdd(to + 1, v.y);
  atomicAdd(to + 2, v.z);
  atomicAdd(to + 3, v.w);
#endif
}

__device__ inline void score_column(const Work& w, int thread, LedgerTally& tally) {
  const int pitch = w.p.pitch, quads = pitch / 4;
  const int made = w.column.a1 - w.column.a0, parts = w.column.score_parts;
  const int q = thread % quads;
  const int part = thread / quads;
  const bool active = part < parts;
  const int first = active ? w.column.a0 + made * part / parts : 0;
  const int last = active ? w.column.a0 + made * (part + 1) / parts : 0;
  const DeviceTables<float>& t = w.p.tables;
  float counts[kSweepBins];
  int at[kSweepBins];
#pragma unroll
  for (int j = 0; j < kSweepBins; ++j) {
    const bool used = j < w.group.scored;
    counts[j] = used ? w.group.counts[j] : 0.0f;
    at[j] =
        (used ? w.group.scored_at[j] : w.group.scored_at[0]) * w.source_floats + (first - w.stage_low) * pitch + 4 * q;
  }
  float deposit[kSweepBins];
#pragma unroll
  for (int j = 0; j < kSweepBins; ++j) {
    deposit[j] = j < w.group.scored ? counts[j] * t.deposit[w.group.source[w.group.scored_at[j]]] : 0.0f;
  }
  const int rows = w.p.tables.nz, stages = w.column.stages;
  const int row_floats = sweep_score_floats(pitch);
  float* to = w.s.scores + static_cast<long long>(blockIdx.x) * rows * row_floats + 4 * q;
  float* const sums_to = to - 4 * q + 2 * pitch;
  const float* const base = w.shared + w.column.stages_at + w.shift;
  const int stage_floats = w.column.stage_floats;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const float place_of_quad = static_cast<float>(4 * q);
  double number[kSweepBins] = {};
  float recent[kSweepBins] = {};  // sums over the last rows
  unsigned stage = 0, phase = 0;
  for (int row = 0; row < rows; ++row, to += row_floats) {
    wait_for(full_barrier(w.shared, stage), phase);
    const float* from = base + static_cast<int>(stage) * stage_floats;
    float4 sum[kSweepBins], current{0, 0, 0, 0}, theta{0, 0, 0, 0};
#pragma unroll
    for (int j = 0; j < kSweepBins; ++j) sum[j] = {0, 0, 0, 0};
    float theta_theta = 0;
#pragma unroll 2
    for (int a = first; a < last; ++a, from += pitch) {
      const float4 planes = *reinterpret_cast<const float4*>(&w.angles[a].plane);
      float4 all{0, 0, 0, 0};
#pragma unroll
      for (int j = 0; j < kSweepBins; ++j) {
        const float4 v = load4(from + at[j]);
        sum[j] = sum_of(sum[j], v);
        all = added(all, counts[j], v);
      }
      current = added(current, planes.x, all);
      theta = added(theta, planes.y, all);
      theta_theta = fmaf(planes.z, total(all), theta_theta);
    }
    if (active) {
      float4 dose{0, 0, 0, 0};
#pragma unroll
      for (int j = 0; j < kSweepBins; ++j) {
        dose = added(dose, deposit[j], sum[j]);
        recent[j] += total(sum[j]);
      }
      add_quad(to, dose);
      add_quad(to + pitch, current);
    }
    if (row % kRecent == kRecent - 1 || row + 1 == rows) {
#pragma unroll
      for (int j = 0; j < kSweepBins; ++j) {
        number[j] += static_cast<double>(recent[j]);
        recent[j] = 0;
      }
    }
    // The θ and θ² fields are needed only as sums, the θ field also as a first moment over x. Four sums over the warp
    // are computed together: lanes exchange the values that they do not need.
    const float all = total(theta);
    const float moment = fmaf(place_of_quad, all, theta.y + 2.0f * theta.z + 3.0f * theta.w);
    const bool upper = (lane & 16) != 0, odd = (lane & 8) != 0;
    const float one = (upper ? theta_theta : all) + __shfl_xor_sync(kWholeWarp, upper ? all : theta_theta, 16);
    const float two = (upper ? 0.0f : moment) + __shfl_xor_sync(kWholeWarp, upper ? moment : 0.0f, 16);
    float kept = (odd ? two : one) + __shfl_xor_sync(kWholeWarp, odd ? one : two, 8);
    kept += __shfl_xor_sync(kWholeWarp, kept, 4);
    kept += __shfl_xor_sync(kWholeWarp, kept, 2);
    kept += __shfl_xor_sync(kWholeWarp, kept, 1);
    // Lane 0 has the sum of θ, lane 8 its moment over x, lane 16 the sum of θ².
    if ((lane & 7) == 0 && lane < 24) atomicAdd(sums_to + row * row_floats + lane / 8, kept);
    free_stage(w.shared, stage);
    if (++stage == static_cast<unsigned>(stages)) {
      stage = 0;
      phase ^= 1;
    }
  }
  for (int j = 0; j < w.group.scored; ++j) {
    const int bin = w.group.source[w.group.scored_at[j]];
    const double all = number[j] * static_cast<double>(w.group.counts[j]);
    tally.number += all;
    tally.energy += all * t.energy[bin];
    tally.stopped += all * static_cast<double>(t.stopped[bin]);
    tally.nuclear += all * static_cast<double>(t.nuclear[bin]);
    tally.nuclear_energy += all * static_cast<double>(t.nuclear_escape[bin]);
    tally.deposited += all * static_cast<double>(t.deposit[bin]);
  }
}

/// Adds the blocks' scores since the last call to the fields, and clears them. The lanes of a warp process neighbouring
/// cells of the fields; each warp of a block sums a share of the scoring blocks. A single thread that read the scores
/// of all blocks in sequence would need the time of two steps.
__device__ inline void collect_scores(const FusedParameters<float>& p, const SweepParameters& s, int blocks) {
  constexpr int kSums = 5;
  __shared__ double partial[kCollectWarps][kSums][32];
  const int nx = p.tables.nx, nz = p.tables.nz;
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  const int cell = static_cast<int>(blockIdx.x) * 32 + lane;
  const bool inside = cell < nz * nx;
  const int row = inside ? cell / nx : 0, x = inside ? cell - row * nx : 1;
  const int row_floats = sweep_score_floats(p.pitch);
  float* const from = s.scores + static_cast<long long>(row) * row_floats;
  double sums[kSums] = {};
  for (int block = warp; inside && block < blocks; block += kCollectWarps) {
    float* const scored = from + static_cast<long long>(block) * nz * row_floats;
    const auto take = [&](int at, double& to) {
      to += static_cast<double>(scored[at]);
      scored[at] = 0.0f;
    };
    take(x, sums[0]);
    take(p.pitch + x, sums[1]);
    if (x > 0) continue;
    for (int k = 0; k < 3; ++k) take(2 * p.pitch + k, sums[2 + k]);
  }
#pragma unroll
  for (int k = 0; k < kSums; ++k) partial[warp][k][lane] = sums[k];
  __syncthreads();
  if (warp > 0 || !inside) return;
#pragma unroll
  for (int k = 0; k < kSums; ++k) {
    for (int w = 1; w < kCollectWarps; ++w) sums[k] += partial[w][k][lane];
  }
  p.scores.dose[cell] += sums[0];
  p.scores.current[cell] += sums[1];
  if (x > 0) return;
  const double behind = nx > 1 ? sums[3] / (nx - 1) : 0.0;
  p.scores.current_theta[cell] += sums[2] - behind;
  if (nx > 1) p.scores.current_theta[cell + nx - 1] += behind;
  p.scores.current_theta_theta[cell] += sums[4];
}

}  // namespace bb::transport::sweep
