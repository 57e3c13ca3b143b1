#include "cuda_fused.cuh"
#include "cuda_march.hpp"

// The angle march; see cuda_march.hpp. A thread holds four neighbouring x of one z row for both bins. The
// energy gather and the three-point angle kernel live in its registers; two shared rows of tiles carry
// the x and the z neighbours, two barriers per angle. Each ψ of the two bins' sources is read from L2
// once per block, each result is written once.
namespace bb::transport::march {

using fused::add_from_warp;
using fused::is_empty;

__device__ inline float4 operator*(float w, float4 v) { return {w * v.x, w * v.y, w * v.z, w * v.w}; }
__device__ inline float4 operator+(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__device__ inline float4 operator-(float4 a, float4 b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
__device__ inline void multiply_add(float4& to, float w, float4 v) {
  to.x = fmaf(w, v.x, to.x);
  to.y = fmaf(w, v.y, to.y);
  to.z = fmaf(w, v.z, to.z);
  to.w = fmaf(w, v.w, to.w);
}
__device__ inline float4 zero4() { return {0.0f, 0.0f, 0.0f, 0.0f}; }
__device__ inline float sum4(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__device__ inline float flux(float m2, float m1, float p, float p1, float p2, const float (&c)[5]) {
  const float g = fmaf(c[0], m2, fmaf(c[1], m1, fmaf(c[2], p, fmaf(c[3], p1, c[4] * p2))));
  return fminf(fmaxf(g, 0.0f), p);
}

/// The remap along x for four columns, from the quads before, at and behind them; what passes the
/// grid's edge goes to `lost`. whole is -1 or 0.
__device__ inline float4 remap_quad(float4 l, float4 m, float4 r, int whole, const float (&c)[5], bool first, bool last,
                                    float& lost) {
  if (whole == 0) {
    const float g0 = flux(l.y, l.z, l.w, m.x, m.y, c);
    const float g1 = flux(l.z, l.w, m.x, m.y, m.z, c);
    const float g2 = flux(l.w, m.x, m.y, m.z, m.w, c);
    const float g3 = flux(m.x, m.y, m.z, m.w, r.x, c);
    const float g4 = flux(m.y, m.z, m.w, r.x, r.y, c);
    if (last) lost += g4;
    return {(m.x - g1) + g0, (m.y - g2) + g1, (m.z - g3) + g2, (m.w - g4) + g3};
  }
  const float g0 = flux(l.z, l.w, m.x, m.y, m.z, c);
  const float g1 = flux(l.w, m.x, m.y, m.z, m.w, c);
  const float g2 = flux(m.x, m.y, m.z, m.w, r.x, c);
  const float g3 = flux(m.y, m.z, m.w, r.x, r.y, c);
  const float g4 = flux(m.z, m.w, r.x, r.y, r.z, c);
  if (first) lost += m.x - g0;
  return {(m.y - g1) + g0, (m.z - g2) + g1, (m.w - g3) + g2, (r.x - g4) + g3};
}

__device__ inline float4 flux_quad(float4 m2, float4 m1, float4 p, float4 p1, float4 p2, const float (&c)[5]) {
  return {flux(m2.x, m1.x, p.x, p1.x, p2.x, c), flux(m2.y, m1.y, p.y, p1.y, p2.y, c),
          flux(m2.z, m1.z, p.z, p1.z, p2.z, c), flux(m2.w, m1.w, p.w, p1.w, p2.w, c)};
}

template <int kSources>
__device__ void march_pair(const FusedParameters<float>& p, const MarchParameters& g, const MarchPair& pair, int step,
                           float4* shared) {
  const DeviceTables<float>& t = p.tables;
  const DeviceBox* bounds = p.bounds[step & 1];
  const int quads = g.quads;
  const int rows = g.rows + kMarchHalo;
  const int r = static_cast<int>(threadIdx.x) / quads;
  const int q = static_cast<int>(threadIdx.x) - r * quads;
  const bool works = r < rows;
  const int z = static_cast<int>(blockIdx.y) * g.rows + r - 3;  // row of this thread's content
  const bool inside = works && z >= 0 && z < t.nz;
  const bool makes = works && r >= 3 && r < rows - 2;
  const int pitch4 = quads + 2;
  float4* turned = shared + r * pitch4 + q + 1;  // [bin][row][quad + 2]
  const int turned_bin = rows * pitch4;
  float4* streamed = shared + 2 * turned_bin + r * quads + q;  // [bin][row][quad]
  const int streamed_bin = rows * quads;
  for (int i = threadIdx.x; i < 2 * turned_bin; i += blockDim.x) shared[i] = zero4();

  float weight[2][kSources];
  unsigned offset[kSources];  // in quads; states beyond 2^32 quads take the general kernel
  const unsigned slice4 = static_cast<unsigned>(static_cast<unsigned long long>(p.ring) * t.ntheta * p.pitch / 4);
  const unsigned row4 = static_cast<unsigned>(p.pitch / 4);
  for (int s = 0; s < kSources; ++s) {
    const bool live = s < pair.sources && !is_empty(bounds[pair.source[s]]);
    weight[0][s] = live ? pair.weight[0][s] : 0.0f;
    weight[1][s] = live ? pair.weight[1][s] : 0.0f;
    offset[s] = (live ? static_cast<unsigned>(pair.source[s]) : 0u) * slice4;
  }
  bool scores[kMarchScored];
  for (int s = 0; s < kMarchScored; ++s) scores[s] = s < pair.scored && !is_empty(bounds[pair.source[s]]);

  const float4* from = reinterpret_cast<const float4*>(p.state[step & 1]) +
                       static_cast<unsigned long long>(inside ? z : 0) * t.ntheta * row4 + q;
  float4* to = reinterpret_cast<float4*>(p.state[(step + 1) & 1]) + static_cast<unsigned long long>(pair.bin) * slice4 +
               static_cast<unsigned long long>(inside ? z : 0) * t.ntheta * row4 + q;

  float4 dose = zero4(), current = zero4();
  float current_t0 = 0, current_t1 = 0, current_tt = 0;
  float number[kMarchScored] = {};
  float high = 0;
  float written0 = 0, written1 = 0, lost_x0 = 0, lost_x1 = 0, lost_z0 = 0, lost_z1 = 0, lost_t0 = 0, lost_t1 = 0;

  // Energy gather for one angle, with the score of the bins that are this pair's to score.
  const auto gather = [&](int a, float4& b0, float4& b1) {
    b0 = b1 = zero4();
    if (!inside || a < 0 || a >= t.ntheta) return;
    float4 scored = zero4();
#pragma unroll
    for (int s = 0; s < kSources; ++s) {
      const float4 v = from[offset[s] + static_cast<unsigned>(a) * row4];
      multiply_add(b0, weight[0][s], v);
      multiply_add(b1, weight[1][s], v);
      if (s < kMarchScored && scores[s]) {
        scored = scored + v;
        multiply_add(dose, pair.deposit[s], v);
        number[s] += sum4(v);
      }
    }
    const float w = t.plane_weight[a];
    const float theta = t.theta[a];
    multiply_add(current, w, scored);
    const float total = sum4(scored) * w;
    current_t0 = fmaf(theta, total, current_t0);
    current_t1 = fmaf(theta * w, fmaf(3.0f, scored.w, fmaf(2.0f, scored.z, scored.y)), current_t1);
    current_tt = fmaf(theta * theta, total, current_tt);
  };

  float4 below0 = zero4(), below1 = zero4(), here0, here1, above0, above1;
  gather(0, here0, here1);
  __syncthreads();
  if (makes && inside) {  // what the first and the last angle send off the grid
    lost_t0 += pair.angle[0][1] * sum4(here0);
    lost_t1 += pair.angle[1][1] * sum4(here1);
  }
  for (int a = 0; a < t.ntheta; ++a) {
    gather(a + 1, above0, above1);
    if (works) {
      turned[0] = pair.angle[0][0] * here0 + pair.angle[0][1] * (below0 + above0);
      turned[turned_bin] = pair.angle[1][0] * here1 + pair.angle[1][1] * (below1 + above1);
    }
    if (a == t.ntheta - 1 && makes && inside) {
      lost_t0 += pair.angle[0][1] * sum4(here0);
      lost_t1 += pair.angle[1][1] * sum4(here1);
    }
    below0 = here0;
    below1 = here1;
    here0 = above0;
    here1 = above1;
    __syncthreads();
    float4 own0 = zero4(), own1 = zero4();
    if (works) {
      float c[5];
      for (int m = 0; m < 5; ++m) c[m] = t.flux_x[a * 5 + m];
      const int whole = t.whole_x[a];
      const bool first = q == 0 && makes && inside;
      const bool last = q == quads - 1 && makes && inside;
      own0 = remap_quad(turned[-1], turned[0], turned[1], whole, c, first, last, lost_x0);
      own1 = remap_quad(turned[turned_bin - 1], turned[turned_bin], turned[turned_bin + 1], whole, c, first, last,
                        lost_x1);
      streamed[0] = own0;
      streamed[streamed_bin] = own1;
    }
    __syncthreads();
    if (!makes) continue;
    float4 out0, out1;
    if (t.whole_z[a] != 0) {  // exactly one row
      out0 = streamed[-quads];
      out1 = streamed[streamed_bin - quads];
    } else {
      float c[5];
      for (int m = 0; m < 5; ++m) c[m] = t.flux_z[a * 5 + m];
      const auto remap = [&](const float4* s, float4 own) {
        const float4 m3 = s[-3 * quads], m2 = s[-2 * quads], m1 = s[-quads], p1 = s[quads], p2 = s[2 * quads];
        return (own - flux_quad(m2, m1, own, p1, p2, c)) + flux_quad(m3, m2, m1, own, p1, c);
      };
      out0 = remap(streamed, own0);
      out1 = remap(streamed + streamed_bin, own1);
    }
    if (inside) {
      to[static_cast<unsigned>(a) * row4] = out0;
      written0 += sum4(out0);
      high = fmaxf(high, fmaxf(fmaxf(out0.x, out0.y), fmaxf(out0.z, out0.w)));
      if (pair.bins > 1) {
        to[slice4 + static_cast<unsigned>(a) * row4] = out1;
        written1 += sum4(out1);
      }
    } else {
      lost_z0 += sum4(out0);
      lost_z1 += sum4(out1);
    }
  }

  if (makes && inside) {
    const unsigned long long cell = static_cast<unsigned long long>(z) * t.nx + 4 * q;
    const float d[4] = {dose.x, dose.y, dose.z, dose.w};
    const float n[4] = {current.x, current.y, current.z, current.w};
    if (scores[0] || scores[1] || scores[2]) {
      for (int j = 0; j < 4; ++j) {
        atomicAdd(p.scores.dose + cell + j, static_cast<double>(d[j]));
        atomicAdd(p.scores.current + cell + j, static_cast<double>(n[j]));
      }
      // Placed so that the sum and the first moment over x are kept, all that the crossing moments need.
      atomicAdd(p.scores.current_theta + cell, static_cast<double>(current_t0 - current_t1 / 3.0f));
      atomicAdd(p.scores.current_theta + cell + 3, static_cast<double>(current_t1 / 3.0f));
      atomicAdd(p.scores.current_theta_theta + cell, static_cast<double>(current_tt));
    }
  }
  double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
  double* written = p.written + static_cast<unsigned long long>(step + 1) * 2;
  const double e0 = t.energy[pair.bin];
  const double e1 = pair.bins > 1 ? t.energy[pair.bin + 1] : 0.0;
  const auto both = [&](double v0, double v1, double* to_number, double* to_energy) {
    add_from_warp(v0 + v1, to_number);
    add_from_warp(v0 * e0 + v1 * e1, to_energy);
  };
  both(written0, written1, written, written + 1);
  both(lost_x0, lost_x1, ledger + kEscapedX, ledger + kEnergyEscapedX);
  both(lost_z0, lost_z1, ledger + kEscapedZ, ledger + kEnergyEscapedZ);
  both(lost_t0, lost_t1, ledger + kEscapedTheta, ledger + kEnergyEscapedTheta);
  double in_flight = 0, energy = 0, stopped = 0, nuclear = 0, nuclear_energy = 0;
  if (makes && inside) {
    for (int s = 0; s < kMarchScored; ++s) {
      if (!scores[s]) continue;
      const double n = number[s];
      in_flight += n;
      energy += n * t.energy[pair.source[s]];
      stopped += n * pair.stopped[s];
      nuclear += n * pair.nuclear[s];
      nuclear_energy += n * pair.nuclear_escape[s];
    }
  }
  add_from_warp(in_flight, ledger + kInFlight);
  add_from_warp(energy, ledger + kEnergyInFlight);
  add_from_warp(stopped, ledger + kStopped);
  add_from_warp(nuclear, ledger + kNuclear);
  add_from_warp(nuclear_energy, ledger + kEnergyNuclear);
  add_from_warp(makes && inside ? static_cast<double>(sum4(dose)) : 0.0, ledger + kDeposited);
  fused::max_from_warp(high, p.scores.extremes + 1);
  add_from_warp(makes && inside ? 4.0 * t.ntheta * pair.bins : 0.0, ledger + kCellsVisited);
}

}  // namespace bb::transport::march

/// grid (pairs, z chunks); block (rows + halo) · quads threads, rounded up to whole warps. Runs before the
/// general kernel of the same step, which closes the step.
extern "C" __global__ void __launch_bounds__(672, 1)
    transport_fused_march_f32(const bb::transport::FusedParameters<float> p, const bb::transport::MarchParameters g) {
  extern __shared__ float4 march_shared[];
  const int step = p.control->step;
  if (p.control->done != 0 || step >= p.control->limit) return;
  const bb::transport::MarchPair& pair = g.pairs[blockIdx.x];
  bool live = false;
  for (int s = 0; s < pair.sources; ++s)
    live = live || !bb::transport::fused::is_empty(p.bounds[step & 1][pair.source[s]]);
  if (!live) return;
  if (pair.sources <= 4) {
    bb::transport::march::march_pair<4>(p, g, pair, step, march_shared);
  } else if (pair.sources <= 6) {
    bb::transport::march::march_pair<6>(p, g, pair, step, march_shared);
  } else {
    bb::transport::march::march_pair<8>(p, g, pair, step, march_shared);
  }
}
