#pragma once

#include "cuda_fused_plan.cuh"

// First pass of the fused step, for one z row and x tile of one bin and all angles. The energy gather fills a tile
// [angle][x] in shared memory and scores the bin's own protons. Then the angle kernel reads the tile and writes
// `turned`. Each thread processes one quad of columns.
namespace bb::transport::fused {

inline constexpr int kMaxQuads = 8;  // maximum quads per tile
inline constexpr int kBatch = 4;     // sources whose loads are issued together

/// Sums over the items of a block.
struct CollideTally {
  double number = 0, energy = 0, stopped = 0, nuclear = 0, nuclear_energy = 0, deposited = 0;
  double escaped[2] = {}, escaped_energy[2] = {};  // losses at low and at high angles
};

template <typename T>
struct CollideShared {
  Quad<T> scored[kWarps][5][kMaxQuads];
  int sources;
};

template <typename T, bool kDepth>
class Collide {
 public:
  __device__ Collide(const FusedParameters<T>& parameters, int at_step, CollideShared<T>& fixed, T* memory)
      : p(parameters), t(parameters.tables), step(at_step), s(fixed) {
    quads = p.tile_quads;
    quad = static_cast<int>(threadIdx.x) & (quads - 1);
    first_row = static_cast<int>(threadIdx.x) / quads;
    block_rows = static_cast<int>(blockDim.x) / quads;
    rows = reinterpret_cast<Quad<T>*>(memory);
    weight = reinterpret_cast<T*>(rows + (t.ntheta + 2 * p.most_half + 2 * kFusedTurned) * quads);
    views = reinterpret_cast<FusedSource*>(weight + (p.most_half + 4) / 4 * 4);
  }

  __device__ void run(int item_bin, int index) {
    bin = item_bin;
    from = p.from[bin];
    half = p.half[bin];
    const int tiles = tiles_of(p, from);
    z = from.z0 + index / tiles;
    x = from.x0 + (index % tiles * quads + quad) * 4;
    live = x < from.x1;
    const int map_row = kDepth ? p.start_z + step : z;
    const unsigned char* map = t.map + static_cast<unsigned long long>(map_row) * t.nx;
    const bool mixed = t.mixed[map_row] != 0;
    for (int j = 0; j < 4; ++j) material[j] = map[mixed ? min(x + j, t.nx - 1) : 0];
    kernel = p.kernel_weight + p.kernel_at[bin];
    feeds = p.feed_weight + p.feed_weight_at[bin];
    list_sources(!kDepth && !mixed);
    a_begin = first_angle(p, from, bin);
    a_end = last_angle(p, from, bin);
    // The angle kernel reads rows up to this distance beyond the sources' angles, where the tile is zero.
    const int before = half + from.a0 - a_begin;
    const int behind = half + a_end - from.a1 + kFusedTurned - 1;
    tile = rows + (before - from.a0) * quads + quad;
    for (int i = threadIdx.x; i < before * quads; i += static_cast<int>(blockDim.x)) rows[i] = Quad<T>{};
    for (int i = threadIdx.x; i < behind * quads; i += static_cast<int>(blockDim.x)) {
      rows[(before + from.a1 - from.a0) * quads + i] = Quad<T>{};
    }
    if (!kDepth && !mixed) {
      for (int k = threadIdx.x; k <= half; k += static_cast<int>(blockDim.x)) weight[k] = kernel_of(0, 0, k);
    }
    __syncthreads();
    if (mixed) {
      gather<true>();
    } else {
      gather<false>();
    }
    __syncthreads();
    if (!kDepth && !mixed) {
      convolve_uniform();
    } else {
      convolve_angles<kDepth>(mixed);
    }
    add_scores(map_row);
    __syncthreads();  // before the next item reuses the shared memory
  }

  __device__ void report() {
    double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
    add_from_block(tally.number, ledger + kInFlight);
    add_from_block(tally.energy, ledger + kEnergyInFlight);
    add_from_block(tally.stopped, ledger + kStopped);
    add_from_block(tally.nuclear, ledger + kNuclear);
    add_from_block(tally.nuclear_energy, ledger + kEnergyNuclear);
    add_from_block(tally.deposited, ledger + kDeposited);
    for (int end = 0; end < 2; ++end) {
      add_from_block(tally.escaped[end], ledger + kEscaped + kThetaLow + end);
      add_from_block(tally.escaped_energy[end], ledger + kEnergyEscaped + kThetaLow + end);
    }
  }

 private:
  /// Lists the bin itself, then the other source bins with content in this row and non-zero weight.
  __device__ void list_sources(bool one_weight) {
    if (threadIdx.x >= 32) return;
    const int* feed_bin = p.feed_bin + p.feed_at[bin];
    const int count = p.feed_count[bin];
    const DeviceBox* bounds = p.bounds[step & 1];
    int listed = 1, itself = -1;
    for (int base = 0; base < count; base += 32) {
      const int k = base + static_cast<int>(threadIdx.x);
      DeviceBox b = empty_box();
      const int source = k < count ? feed_bin[k] : bin;
      if (k < count && source == bin) itself = k;
      if (source != bin) b = bounds[source];
      bool holds = !is_empty(b) && z >= b.z0 && z < b.z1;
      if (holds && one_weight) holds = feeds[k * t.materials + material[0]] != T(0);
      const unsigned holding = __ballot_sync(0xffffffffu, holds);
      if (holds) {
        views[listed + __popc(holding & ((1u << threadIdx.x) - 1))] = {b.a0, b.a1, b.x0, b.x1, k, source};
      }
      listed += __popc(holding);
    }
    itself = __reduce_max_sync(0xffffffffu, itself);
    if (threadIdx.x != 0) return;
    const DeviceBox b = bounds[bin];
    const bool holds = !is_empty(b) && z >= b.z0 && z < b.z1;
    views[0] = {b.a0, holds ? b.a1 : b.a0, b.x0, b.x1, itself, bin};
    s.sources = listed;
  }

  template <bool kMixed>
  __device__ void gather() {
    const int sources = s.sources;
    const T* row = p.state + static_cast<unsigned long long>(kDepth ? 0 : z) * t.ntheta * p.pitch + x;
    const unsigned long long slice = static_cast<unsigned long long>(p.rows) * t.ntheta * p.pitch;
    const T* lost = p.lost + bin * t.materials * t.ntheta;
    Quad<T> dose = {}, current = {}, current_t = {}, current_tt = {}, reacted = {};
    T number = T(0), stopped = T(0), nuclear_energy = T(0), below = T(0), above = T(0);
    // The batches run backwards, so that the heaviest source is added last and FP32 sums have no systematic loss. The
    // bin itself is in the last batch.
    const int start = (sources - 1) / kBatch * kBatch;
    for (int first = start; first >= 0; first -= kBatch) {
      const T* source[kBatch];
      const T* feed[kBatch];
      T w[kBatch];
      int a0[kBatch];
      unsigned held[kBatch];  // number of angles from a0 on
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        held[k] = 0;
        a0[k] = 0;
        w[k] = T(0);
        source[k] = row;
        feed[k] = feeds;
        if (first + k >= sources) continue;
        const FusedSource view = views[first + k];
        a0[k] = view.a0;
        held[k] = live && x >= view.x0 && x < view.x1 ? static_cast<unsigned>(view.a1 - view.a0) : 0u;
        source[k] = row + view.bin * slice;
        if (view.feed < 0) continue;
        feed[k] = feeds + view.feed * t.materials * t.classes;
        if (!kDepth && !kMixed) w[k] = feed[k][material[0]];
      }
      // The bin itself may be its own lightest or heaviest source.
      const bool heaviest = first > 0 || p.feed_bin[p.feed_at[bin]] == bin;
      for (int a = from.a0 + first_row; a < from.a1; a += block_rows) {
        const int c = kDepth ? a : 0;
        Quad<T> value[kBatch];
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
          value[k] = Quad<T>{};
          if (static_cast<unsigned>(a - a0[k]) < held[k]) {
            value[k] = *reinterpret_cast<const Quad<T>*>(source[k] + a * p.pitch);
          }
        }
        Quad<T> sum = {};
        if (first < start) sum = tile[a * quads];
        const auto add = [&](int k) {
          for (int j = 0; j < 4; ++j) {
            const T by = kMixed   ? feed[k][material[j] * t.classes + c]
                         : kDepth ? feed[k][material[0] * t.classes + c]
                                  : w[k];
            sum.v[j] += by * value[k].v[j];
          }
        };
        const bool adds_first = first > 0 || views[0].feed >= 0;
        if (adds_first && !heaviest) add(0);
#pragma unroll
        for (int k = kBatch - 1; k > 0; --k) add(k);
        if (adds_first && heaviest) add(0);
        tile[a * quads] = sum;
        if (first == 0 && (a < half || a + half >= t.ntheta)) {
          for (int j = 0; j < 4; ++j) {
            const T* share = lost + material[kMixed ? j : 0] * t.ntheta + a;
            below += share[0] * sum.v[j];
            above += share[p.lost_high] * sum.v[j];
          }
        }
        if (first > 0) continue;
        const Quad<T>& own = value[0];
        const T planes = t.plane_weight[a];
        const T theta = t.theta[a];
        number += sum_quad(own);
        for (int j = 0; j < 4; ++j) {
          const T planed = planes * own.v[j];
          current.v[j] += planed;
          current_t.v[j] += planed * theta;
          current_tt.v[j] += planed * theta * theta;
        }
        if (kDepth || kMixed) {
          for (int j = 0; j < 4; ++j) {
            const int at = ((kDepth ? t.path_of[c] : 0) * t.materials + material[j]) * t.ne + bin;
            dose.v[j] += own.v[j] * t.deposit[at];
            stopped += own.v[j] * t.stopped[at];
            reacted.v[j] += own.v[j] * t.nuclear[at];
            nuclear_energy += own.v[j] * t.nuclear_escape[at];
          }
        } else {
          for (int j = 0; j < 4; ++j) dose.v[j] += own.v[j];
        }
      }
    }
    if (!kDepth && !kMixed) {
      const int at = material[0] * t.ne + bin;
      stopped = number * t.stopped[at];
      nuclear_energy = number * t.nuclear_escape[at];
      for (int j = 0; j < 4; ++j) {
        reacted.v[j] = dose.v[j] * t.nuclear[at];
        dose.v[j] *= t.deposit[at];
      }
    }
    const double energy = t.energy[bin];
    tally.number += static_cast<double>(number);
    tally.energy += static_cast<double>(number) * energy;
    tally.stopped += static_cast<double>(stopped);
    tally.nuclear += static_cast<double>(sum_quad(reacted));
    tally.nuclear_energy += static_cast<double>(nuclear_energy);
    tally.deposited += static_cast<double>(sum_quad(dose));
    tally.escaped[0] += static_cast<double>(below);
    tally.escaped[1] += static_cast<double>(above);
    tally.escaped_energy[0] += static_cast<double>(below) * energy;
    tally.escaped_energy[1] += static_cast<double>(above) * energy;
    sum_scores(0, dose);
    sum_scores(1, current);
    sum_scores(2, current_t);
    sum_scores(3, current_tt);
    if (p.scores.reactions.on()) sum_scores(4, reacted);
  }

  /// Sums one field over the warp's lanes that have the same quad.
  __device__ void sum_scores(int field, Quad<T> value) {
    for (int j = 0; j < 4; ++j) {
      for (int offset = quads; offset < 32; offset <<= 1) {
        value.v[j] += __shfl_xor_sync(0xffffffffu, value.v[j], offset);
      }
    }
    const int lane = static_cast<int>(threadIdx.x) & 31;
    if (lane < quads) s.scored[threadIdx.x >> 5][field][lane] = value;
  }

  __device__ void add_scores(int map_row) {
    const int fields = p.scores.reactions.on() ? 5 : 4;
    for (int i = threadIdx.x; i < fields * 4 * quads; i += static_cast<int>(blockDim.x)) {
      const int field = i / (4 * quads);
      const int column = i % (4 * quads);
      double sum = 0;
      for (int w = 0; w < static_cast<int>(blockDim.x) / 32; ++w) {
        sum += static_cast<double>(s.scored[w][field][column / 4].v[column % 4]);
      }
      if (sum == 0.0) continue;
      if (field == 4) {
        record_reactions(p.scores.reactions, bin, map_row, x - quad * 4 + column, sum);
        continue;
      }
      double* const to = field == 0   ? p.scores.dose
                         : field == 1 ? p.scores.current
                         : field == 2 ? p.scores.current_theta
                                      : p.scores.current_theta_theta;
      atomicAdd(to + static_cast<unsigned long long>(map_row) * t.nx + (x - quad * 4 + column), sum);
    }
  }

  __device__ T kernel_of(int a, int j, int distance) const {
    return kernel[(material[j] * (half + 1) + distance) * t.classes + (kDepth ? a : 0)];
  }

  __device__ void put(int a, const Quad<T>& value) const {
    *reinterpret_cast<Quad<T>*>(p.turned + row_start(p, bin, kDepth ? 0 : z) + a * p.pitch + x) = value;
  }

  /// Convolves with one kernel for all columns and angles. A thread computes neighbouring angles, so that it reads each
  /// row of the tile once. It adds far terms first, so that FP32 sums have no systematic loss.
  __device__ void convolve_uniform() const {
    if (!live) return;
    constexpr int kTurned = kFusedTurned;
    for (int a = a_begin + kTurned * first_row; a < a_end; a += kTurned * block_rows) {
      Quad<T> sum[kTurned] = {}, low[kTurned], high[kTurned];
      const Quad<T>* below = tile + (a - half) * quads;
      const Quad<T>* above = tile + (a + half) * quads;
#pragma unroll
      for (int i = 0; i < kTurned; ++i) {
        low[i] = below[i * quads];
        high[i] = above[i * quads];
      }
      below += kTurned * quads;
#pragma unroll 3
      for (int d = half; d > 0; --d) {
        const T w = weight[d];
#pragma unroll
        for (int i = 0; i < kTurned; ++i) {
          for (int j = 0; j < 4; ++j) sum[i].v[j] += w * (low[i].v[j] + high[i].v[j]);
        }
#pragma unroll
        for (int i = 0; i + 1 < kTurned; ++i) {
          low[i] = low[i + 1];
          high[kTurned - 1 - i] = high[kTurned - 2 - i];
        }
        above -= quads;
        low[kTurned - 1] = *below;
        high[0] = *above;
        below += quads;
      }
      const T w = weight[0];
#pragma unroll
      for (int i = 0; i < kTurned; ++i) {
        for (int j = 0; j < 4; ++j) sum[i].v[j] += w * low[i].v[j];
        if (a + i < a_end) put(a + i, sum[i]);
      }
    }
  }

  /// Convolves where the kernel differs by column or angle.
  template <bool kByAngle>
  __device__ void convolve_angles(bool mixed) const {
    if (!live) return;
    for (int a = a_begin + first_row; a < a_end; a += block_rows) {
      Quad<T> sum = {};
#pragma unroll 4
      for (int d = half; d > 0; --d) {
        const Quad<T> low = tile[(a - d) * quads];
        const Quad<T> high = tile[(a + d) * quads];
        const int below = max(a - d, 0), above = min(a + d, t.ntheta - 1);
        if (mixed) {
          for (int j = 0; j < 4; ++j) {
            sum.v[j] += kernel_of(below, j, d) * low.v[j] + kernel_of(above, j, d) * high.v[j];
          }
        } else {
          const T wl = kernel_of(below, 0, d), wh = kernel_of(above, 0, d);
          for (int j = 0; j < 4; ++j) sum.v[j] += wl * low.v[j] + wh * high.v[j];
        }
      }
      const Quad<T> here = tile[a * quads];
      for (int j = 0; j < 4; ++j) sum.v[j] += kernel_of(a, mixed ? j : 0, 0) * here.v[j];
      put(a, sum);
    }
  }

  const FusedParameters<T>& p;
  const DeviceTables<T>& t;
  int step;
  CollideShared<T>& s;
  Quad<T>* rows;       // [angles, with zeros on both sides][quads]
  Quad<T>* tile;       // this thread's quad of angle 0 in `rows`
  T* weight;           // [half + 1] if one kernel applies to the whole row
  FusedSource* views;  // [most_feeds]
  int quads, quad, first_row, block_rows;
  int bin, half, z, x, a_begin, a_end;
  bool live;
  int material[4];
  DeviceBox from;
  const T* kernel;
  const T* feeds;
  CollideTally tally;
};

template <typename T, bool kDepth>
__device__ void collide(const FusedParameters<T>& p, int step, T* shared) {
  __shared__ CollideShared<T> fixed;
  const int items = p.collide_begin[p.tables.ne];
  if (static_cast<int>(blockIdx.x) >= items) return;
  Collide<T, kDepth> work(p, step, fixed, shared);
  for (int item = blockIdx.x; item < items; item += gridDim.x) {
    const int bin = bin_of_item(p.collide_begin, p.tables.ne, item);
    work.run(bin, item - p.collide_begin[bin]);
  }
  work.report();
}

}  // namespace bb::transport::fused
