#pragma once

#include "cuda_fused_common.cuh"
#include "cuda_march.hpp"

// The angle march; see cuda_march.hpp. It uses only registers, no shared memory or barriers. Each source cell of a pair
// of bins is read once for both.
namespace bb::transport::march {

using fused::add_from_block;
using fused::is_empty;

__device__ inline float4 operator*(float w, float4 v) { return {w * v.x, w * v.y, w * v.z, w * v.w}; }
__device__ inline float4 operator+(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__device__ inline void multiply_add(float4& to, float w, float4 v) {
  to.x = fmaf(w, v.x, to.x);
  to.y = fmaf(w, v.y, to.y);
  to.z = fmaf(w, v.z, to.z);
  to.w = fmaf(w, v.w, to.w);
}
__device__ inline float4 zero4() { return {0.0f, 0.0f, 0.0f, 0.0f}; }
__device__ inline float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }

/// Computes angles first … last - 1 at quad `cell` (z row, then x) for a pair of bins.
template <int kSources>
__device__ void march_pair(const FusedParameters<float>& p, const MarchParameters& g, const MarchPair& pair, int step,
                           int cell, int first, int last) {
  const DeviceTables<float>& t = p.tables;
  const DeviceBox* bounds = p.bounds[step & 1];
  const bool inside = cell < t.nz * g.quads;
  const int z = inside ? cell / g.quads : 0;
  const int q = inside ? cell - z * g.quads : 0;

  float weight[2][kSources];
  unsigned offset[kSources];  // in quads; states of more than 2^32 quads use the general kernel
  const unsigned row4 = static_cast<unsigned>(p.pitch / 4);
  const unsigned slice4 = static_cast<unsigned>(p.rows) * static_cast<unsigned>(t.ntheta) * row4;
  for (int s = 0; s < kSources; ++s) {
    const bool live = s < pair.sources && !is_empty(bounds[pair.source[s]]);
    weight[0][s] = live ? pair.weight[0][s] : 0.0f;
    weight[1][s] = live ? pair.weight[1][s] : 0.0f;
    offset[s] = static_cast<unsigned>(live ? pair.source[s] : pair.bin) * slice4;
  }
  bool scores[kMarchScored];
  for (int s = 0; s < kMarchScored; ++s) scores[s] = s < pair.scored && !is_empty(bounds[pair.source[s]]);

  const unsigned place = static_cast<unsigned>(z) * static_cast<unsigned>(t.ntheta) * row4 + static_cast<unsigned>(q);
  const float4* from = reinterpret_cast<const float4*>(p.state) + place;
  float4* to = reinterpret_cast<float4*>(p.turned) + static_cast<unsigned long long>(pair.bin) * slice4 + place;

  float4 dose = zero4(), current = zero4();
  float current_t0 = 0, current_t1 = 0, current_tt = 0;
  float number[kMarchScored] = {};
  float lost0 = 0, lost1 = 0;

  // Gathers the energies at one angle and scores the bins that belong to this pair.
  const auto gather = [&](int a, float4& b0, float4& b1) {
    b0 = b1 = zero4();
    if (a < 0 || a >= t.ntheta) return;
    const bool own = a >= first && a < last;
    float4 v[kSources];
#pragma unroll
    for (int s = 0; s < kSources; ++s) v[s] = from[offset[s] + static_cast<unsigned>(a) * row4];
#pragma unroll
    for (int s = 0; s < kSources; ++s) {
      multiply_add(b0, weight[0][s], v[s]);
      multiply_add(b1, weight[1][s], v[s]);
    }
    if (!own) return;
    float4 scored = zero4();
#pragma unroll
    for (int s = 0; s < kMarchScored; ++s) {
      if (!scores[s]) continue;
      scored = scored + v[s];
      multiply_add(dose, pair.deposit[s], v[s]);
      number[s] += sum4(v[s]);
    }
    const float w = t.plane_weight[a];
    const float theta = t.theta[a];
    multiply_add(current, w, scored);
    const float total = sum4(scored) * w;
    current_t0 = fmaf(theta, total, current_t0);
    current_t1 = fmaf(theta * w, fmaf(3.0f, scored.w, fmaf(2.0f, scored.z, scored.y)), current_t1);
    current_tt = fmaf(theta * theta, total, current_tt);
  };

  if (inside) {
    const float w00 = pair.angle[0][0], w01 = pair.angle[0][1], w10 = pair.angle[1][0], w11 = pair.angle[1][1];
    float4 below0, below1, here0, here1, above0, above1;
    gather(first - 1, below0, below1);
    gather(first, here0, here1);
    for (int a = first; a < last; ++a) {
      gather(a + 1, above0, above1);
      if (a == 0 || a == t.ntheta - 1) {  // losses of the first and the last angle; no block has both
        lost0 += w01 * sum4(here0);
        lost1 += w11 * sum4(here1);
      }
      to[static_cast<unsigned>(a) * row4] = w00 * here0 + w01 * (below0 + above0);
      if (pair.bins > 1) to[slice4 + static_cast<unsigned>(a) * row4] = w10 * here1 + w11 * (below1 + above1);
      below0 = here0;
      below1 = here1;
      here0 = above0;
      here1 = above1;
    }
    if (scores[0] || scores[1]) {
      const unsigned long long at = static_cast<unsigned long long>(z) * t.nx + 4 * q;
      const float d[4] = {dose.x, dose.y, dose.z, dose.w};
      const float n[4] = {current.x, current.y, current.z, current.w};
      for (int j = 0; j < 4; ++j) {
        atomicAdd(p.scores.dose + at + j, static_cast<double>(d[j]));
        atomicAdd(p.scores.current + at + j, static_cast<double>(n[j]));
      }
      // The crossing moments depend only on the sum and the first moment over x of the θ fields. Adding to the first
      // and last column preserves both.
      atomicAdd(p.scores.current_theta + at, static_cast<double>(current_t0 - current_t1 / 3.0f));
      atomicAdd(p.scores.current_theta + at + 3, static_cast<double>(current_t1 / 3.0f));
      atomicAdd(p.scores.current_theta_theta + at, static_cast<double>(current_tt));
    }
  }

  double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
  double in_flight = 0, energy = 0, stopped = 0, nuclear = 0, nuclear_energy = 0;
  for (int s = 0; s < kMarchScored; ++s) {
    if (!scores[s]) continue;
    const double n = number[s];
    in_flight += n;
    energy += n * t.energy[pair.source[s]];
    stopped += n * pair.stopped[s];
    nuclear += n * pair.nuclear[s];
    nuclear_energy += n * pair.nuclear_escape[s];
  }
  const double e0 = t.energy[pair.bin];
  const double e1 = pair.bins > 1 ? t.energy[pair.bin + 1] : 0.0;
  add_from_block(in_flight, ledger + kInFlight);
  add_from_block(energy, ledger + kEnergyInFlight);
  add_from_block(stopped, ledger + kStopped);
  add_from_block(nuclear, ledger + kNuclear);
  add_from_block(nuclear_energy, ledger + kEnergyNuclear);
  add_from_block(static_cast<double>(sum4(dose)), ledger + kDeposited);
  const Face end = first == 0 ? kThetaLow : kThetaHigh;
  add_from_block(static_cast<double>(lost0) + static_cast<double>(lost1), ledger + escaped_column(end));
  add_from_block(static_cast<double>(lost0) * e0 + static_cast<double>(lost1) * e1,
                 ledger + escaped_energy_column(end));
}

/// Marches all pairs, angle chunks and rows. Neighbouring pairs run at the same time, because they share sources.
__device__ inline void march(const FusedParameters<float>& p, const MarchParameters& g, int step) {
  const int chunks = (p.tables.ntheta + g.angles - 1) / g.angles;
  const int cells = (p.tables.nz * g.quads + kFusedThreads - 1) / kFusedThreads;
  for (int item = blockIdx.x; item < g.count * chunks * cells; item += gridDim.x) {
    const MarchPair& pair = g.pairs[item % g.count];
    const int chunk = item / g.count % chunks;
    const int cell = item / g.count / chunks * kFusedThreads + static_cast<int>(threadIdx.x);
    bool live = false;
    for (int s = 0; s < pair.sources; ++s) live = live || !is_empty(p.bounds[step & 1][pair.source[s]]);
    if (!live) continue;
    const int first = chunk * g.angles;
    const int last = min(first + g.angles, p.tables.ntheta);
    if (pair.sources <= 4) {
      march_pair<4>(p, g, pair, step, cell, first, last);
    } else if (pair.sources <= 5) {
      march_pair<5>(p, g, pair, step, cell, first, last);
    } else {
      march_pair<6>(p, g, pair, step, cell, first, last);
    }
  }
}

}  // namespace bb::transport::march
