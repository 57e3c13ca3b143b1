#pragma once

#include "cuda_fused_common.cuh"

// One advance item: a tile of sixteen columns and a chunk of z rows of one energy bin, made from its
// sources. Rows of z are marched. Per row the energy gather fills `tile` [angle][x]; the angle convolution
// goes to `turned`, several angles per thread so that each tile value is read once for all of them; the x
// remap goes to a ring of five rows, of which a thread reads only the quads of columns that it wrote
// itself, so that the z remap needs no barrier: two barriers per row.
namespace bb::transport::fused {

inline constexpr int kListedSources = 16;  // sources of one bin whose boxes are held in shared memory
inline constexpr int kTurned = 2;          // angles that a thread makes of one quad of columns
inline constexpr int kUsualWidth = 24;     // columns of the input tile when no shift exceeds one cell

template <typename T>
struct alignas(16) Quad {
  T v[4];
};

/// A bin that feeds the item, where it lies and with what weight.
template <typename T>
struct SourceView {
  DeviceBox box;
  T weight;
  const T* slice;
};

/// Shared memory of an item that does not depend on the angle count.
template <typename T>
struct ItemTables {
  SourceView<T> source[kListedSources];
  int sources;   // -1: more than fit
  int reach;     // half width of the angle kernel
  int material;  // that the lists are for
};

template <typename T>
struct ItemLayout {
  T* tile;     // [angles][width]
  T* turned;   // [a_count][width]
  T* ring;     // [kRemapTaps][a_count][kFusedTile]
  T* carry;    // [a_count][kFusedTile] G of the donor before
  T* weight;   // [half + 1 + kTurned + 1] angle kernel, zero behind its end
  T* leaving;  // [angles] share of an angle's content that scattering sends off the grid
};

/// kWidth: columns of the input tile where known at compile time, else 0.
template <typename T, bool kDepth, int kWidth>
class Advance {
 public:
  __device__ Advance(const FusedParameters<T>& parameters, const WorkItem& work, int at_step, ItemTables<T>& lists,
                     T* shared)
      : p(parameters),
        t(parameters.tables),
        item(work),
        step(at_step),
        tables(lists),
        bounds(parameters.bounds[at_step & 1]),
        state(parameters.state[at_step & 1]),
        out(parameters.state[(at_step + 1) & 1]),
        slice(static_cast<unsigned long long>(p.ring) * t.ntheta * p.pitch) {
    from = source_box(p, bounds, item.bin);
    half = p.half[item.bin];
    angles = from.a1 - from.a0;
    a_begin = max(0, from.a0 - half);
    a_count = min(t.ntheta, from.a1 + half) - a_begin;
    width_ = input_width(p);
    x_in = input_start(p, item.x0);
    s.tile = shared;
    s.turned = s.tile + angles * width();
    s.ring = s.turned + a_count * width();
    s.carry = s.ring + (kDepth ? 0 : kRemapTaps * a_count * kFusedTile);
    s.weight = s.carry + (kDepth ? 0 : a_count * kFusedTile);
    s.leaving = s.weight + half + kTurned + 2;
    own_x0 = (item.first & 1) ? -(1 << 30) : item.x0;
    own_x1 = (item.last & 1) ? (1 << 30) : item.x0 + kFusedTile;
    own_z0 = (item.first & 2) ? -(1 << 30) : item.z0;
    own_z1 = (item.last & 2) ? (1 << 30) : item.z1;
  }

  __device__ void run() {
    if (threadIdx.x == 0) tables.material = -1;
    // An output row needs the donor before it and that one's neighbours; where the shifts of the angles
    // differ, rows beside the content are visited too, to write their zeros.
    const int span = p.whole_z_max - p.whole_z_min;
    const int z_begin = kDepth ? 0 : max(min(from.z0 - span, item.z0), item.z0 - p.whole_z_max - 1 - kRemapReach);
    const int z_end = kDepth ? 1 : item.z1 - p.whole_z_min + kRemapReach;
    if (!kDepth) {
      for (int i = threadIdx.x; i < (kRemapTaps + 1) * a_count * kFusedTile; i += kFusedThreads) s.ring[i] = T(0);
    }
    __syncthreads();
    int slot = 0;  // ring row of z
    for (int z = z_begin; z < z_end; ++z) {
      const bool filled = z >= from.z0 && z < from.z1;
      if (filled) {
        const int map_row = kDepth ? p.start_z + step : z;
        map = t.map + static_cast<unsigned long long>(map_row) * t.nx;
        const bool listed = !kDepth && t.mixed[map_row] == 0 && list(map[0]);
        if (listed) {
          gather_listed(z);
        } else {
          gather(z, t.mixed[map_row] != 0);
        }
        __syncthreads();
        const bool counts = z >= own_z0 && z < own_z1;
        if (listed) {
          turn_listed();
          if (counts) count_leaving();
        } else {
          turn(t.mixed[map_row] != 0, counts);
        }
        __syncthreads();
      }
      stream(z, filled, slot);
      slot = slot + 1 == kRemapTaps ? 0 : slot + 1;
    }
    report();
  }

 private:
  __device__ int width() const { return kWidth != 0 ? kWidth : width_; }

  /// Brings the lists of `material` into shared memory; false when they do not fit.
  __device__ bool list(int material) {
    if (tables.material == material) return tables.sources >= 0;
    __syncthreads();  // all have read tables.material, and are done with the lists
    const int row = material * t.ne + item.bin;
    const int begin = t.gather_begin[row];
    const int count = t.gather_begin[row + 1] - begin;
    if (threadIdx.x < count && count <= kListedSources) {
      const int source = t.gather_source[begin + threadIdx.x];
      tables.source[threadIdx.x] = {bounds[source], t.gather_weight[begin + threadIdx.x], state + source * slice};
    }
    if (threadIdx.x == 0) {
      tables.sources = count <= kListedSources ? count : -1;
      tables.material = material;
    }
    const int angle_begin = t.angle_begin[row];
    const int reach = t.angle_begin[row + 1] - angle_begin - 1;
    if (threadIdx.x == 0) tables.reach = reach;
    for (int k = threadIdx.x; k < half + kTurned + 2; k += kFusedThreads) {
      s.weight[k] = k <= reach ? t.angle_weight[angle_begin + k] : T(0);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < angles; i += kFusedThreads) {
      const int a = from.a0 + i;
      T share = T(0);
      for (int k = a + 1; k <= reach; ++k) share += s.weight[k];
      for (int k = t.ntheta - a; k <= reach; ++k) share += s.weight[k];
      s.leaving[i] = share;
    }
    __syncthreads();
    return tables.sources >= 0;
  }

  __device__ void gather_listed(int z) {
    const int count = tables.sources;
    const unsigned row = static_cast<unsigned>(z % p.ring) * t.ntheta;
    const int quads = width() / 4;
    for (int i = threadIdx.x; i < angles * quads; i += kFusedThreads) {
      const int a = from.a0 + i / quads;
      const int x = x_in + i % quads * 4;
      const unsigned at = (row + a) * p.pitch + x;
      Quad<T> sum = {};
#pragma unroll 4
      for (int k = 0; k < count; ++k) {
        const SourceView<T>& source = tables.source[k];
        const DeviceBox& b = source.box;
        const bool inside = z >= b.z0 && z < b.z1 && a >= b.a0 && a < b.a1 && x >= b.x0 && x < b.x1;
        const Quad<T> v = inside ? *reinterpret_cast<const Quad<T>*>(source.slice + at) : Quad<T>{};
        for (int j = 0; j < 4; ++j) sum.v[j] += source.weight * v.v[j];
      }
      reinterpret_cast<Quad<T>*>(s.tile)[i] = sum;
    }
  }

  __device__ void gather(int z, bool mixed) {
    for (int i = threadIdx.x; i < angles * width(); i += kFusedThreads) {
      const int a = from.a0 + i / width();
      const int x = x_in + i % width();
      T sum = T(0);
      if (x >= from.x0 && x < from.x1) {
        const int row = ((kDepth ? a : 0) * t.materials + map[mixed ? x : 0]) * t.ne + item.bin;
        for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
          const int source = t.gather_source[k];
          const DeviceBox& b = bounds[source];
          if (z < b.z0 || z >= b.z1 || a < b.a0 || a >= b.a1 || x < b.x0 || x >= b.x1) continue;
          sum += t.gather_weight[k] *
                 state[source * slice + (static_cast<unsigned long long>(z % p.ring) * t.ntheta + a) * p.pitch + x];
        }
      }
      s.tile[i] = sum;
    }
  }

  /// Angle convolution with the listed kernel: neighbouring angles of one quad of columns per thread, the
  /// weights sliding through registers.
  __device__ void turn_listed() {
    const int quads = width() / 4;
    const int groups = (a_count + kTurned - 1) / kTurned;
    const int reach = tables.reach;
    for (int i = threadIdx.x; i < groups * quads; i += kFusedThreads) {
      const int first = a_begin + i / quads * kTurned;
      const int column = i % quads;
      const int b_begin = max(from.a0, first - reach);
      const int b_end = min(from.a1, first + kTurned + reach);
      Quad<T> sum[kTurned] = {};
      T w[kTurned];  // w[j] = weight of the distance between angle first + j and b
      for (int j = 0; j < kTurned; ++j) w[j] = weight_of(first + j - b_begin);
      const Quad<T>* value = reinterpret_cast<const Quad<T>*>(s.tile) + (b_begin - from.a0) * quads + column;
#pragma unroll 4
      for (int b = b_begin; b < b_end; ++b, value += quads) {
        const Quad<T> v = *value;
        for (int j = 0; j < kTurned; ++j) {
          for (int l = 0; l < 4; ++l) sum[j].v[l] += w[j] * v.v[l];
        }
        for (int j = kTurned - 1; j > 0; --j) w[j] = w[j - 1];
        w[0] = weight_of(first - b - 1);
      }
      for (int j = 0; j < kTurned; ++j) {
        if (first + j < a_begin + a_count) {
          reinterpret_cast<Quad<T>*>(s.turned)[(first + j - a_begin) * quads + column] = sum[j];
        }
      }
    }
  }

  /// The list is zero behind the kernel's end, for as far as turn_listed looks.
  __device__ T weight_of(int distance) const { return s.weight[distance < 0 ? -distance : distance]; }

  __device__ void count_leaving() {
    if (from.a0 >= half && from.a1 <= t.ntheta - half) return;
    for (int i = threadIdx.x; i < angles * width(); i += kFusedThreads) {
      const int x = x_in + i % width();
      if (x >= own_x0 && x < own_x1) tally.escaped_theta += static_cast<double>(s.leaving[i / width()] * s.tile[i]);
    }
  }

  /// Angle convolution where columns or angles differ in their kernels.
  __device__ void turn(bool mixed, bool counts) {
    // Angles beyond the grid are visited too, to count what leaves.
    const int lost_below = max(0, half - from.a0);
    const int lost_above = max(0, from.a1 + half - t.ntheta);
    for (int i = threadIdx.x; i < (lost_below + a_count + lost_above) * width(); i += kFusedThreads) {
      const int a = a_begin - lost_below + i / width();
      const int column = i % width();
      const int x = x_in + column;
      T sum = T(0);
      if (x >= from.x0 && x < from.x1) {
        const int m = map[mixed ? x : 0];
        for (int b = max(from.a0, a - half); b < min(from.a1, a + half + 1); ++b) {
          const int row = ((kDepth ? b : 0) * t.materials + m) * t.ne + item.bin;
          const int begin = t.angle_begin[row];
          const int distance = a < b ? b - a : a - b;
          if (distance < t.angle_begin[row + 1] - begin) {
            sum += t.angle_weight[begin + distance] * s.tile[(b - from.a0) * width() + column];
          }
        }
      }
      if (a >= a_begin && a < a_begin + a_count) {
        s.turned[(a - a_begin) * width() + column] = sum;
      } else if (counts && x >= own_x0 && x < own_x1) {
        tally.escaped_theta += static_cast<double>(sum);
      }
    }
  }

  /// Remap in x into the ring, then in z for the donor two rows back.
  __device__ void stream(int z, bool filled, int slot) {
    constexpr int kQuads = kFusedTile / 4;
    const int row_quads = a_count * kQuads;
    Quad<T>* ring = reinterpret_cast<Quad<T>*>(s.ring);
    Quad<T>* carry = reinterpret_cast<Quad<T>*>(s.carry);
    const bool counts = z >= own_z0 && z < own_z1;
    for (int i = threadIdx.x; i < row_quads; i += kFusedThreads) {
      const int a = a_begin + i / kQuads;
      const int x = item.x0 + i % kQuads * 4;
      Quad<T> moved = {};
      if (filled) {
        moved = remap_x(a, x);
        for (int j = 0; j < 4; ++j) {
          if (x + j >= 0 && x + j < t.nx) continue;
          if (counts) tally.escaped_x += static_cast<double>(moved.v[j]);
          moved.v[j] = T(0);
        }
      }
      if (kDepth) {
        put(0, a, x, moved);
        continue;
      }
      ring[slot * row_quads + i] = moved;
      const auto row = [&](int back) {
        return ring[(slot >= back ? slot - back : slot - back + kRemapTaps) * row_quads + i];
      };
      const Quad<T> m2 = row(4), m1 = row(3), content = row(2), p1 = row(1);
      const Quad<T> before = carry[i];
      Quad<T> passed, value;
      const T* c = t.flux_z + a * kRemapTaps;
      for (int j = 0; j < 4; ++j) {
        passed.v[j] = physics::remap_flux(m2.v[j], m1.v[j], content.v[j], p1.v[j], moved.v[j], c);
        value.v[j] = (content.v[j] - passed.v[j]) + before.v[j];
      }
      carry[i] = passed;
      const int to = z - kRemapReach + t.whole_z[a];
      if (to < item.z0 || to >= item.z1) continue;
      if (to < 0 || to >= t.nz) {
        for (int j = 0; j < 4; ++j) tally.escaped_z += static_cast<double>(value.v[j]);
        continue;
      }
      put(to, a, x, value);
    }
  }

  __device__ Quad<T> remap_x(int a, int x) {
    const T* c = t.flux_x + a * kRemapTaps;
    const T* donor = s.turned + (a - a_begin) * width() + (x - t.whole_x[a] - x_in);
    T content[9];  // donors x - 3 … x + 5, less the whole shift
    for (int k = 0; k < 9; ++k) content[k] = donor[k - 3];
    T before = physics::remap_flux(content[0], content[1], content[2], content[3], content[4], c);
    Quad<T> moved;
    for (int j = 0; j < 4; ++j) {
      const T passed =
          physics::remap_flux(content[j + 1], content[j + 2], content[j + 3], content[j + 4], content[j + 5], c);
      moved.v[j] = (content[j + 3] - passed) + before;
      before = passed;
    }
    return moved;
  }

  __device__ void put(int z, int a, int x, const Quad<T>& value) {
    if (x < 0 || x >= t.nx) return;  // tiles and rows are aligned to quads
    *reinterpret_cast<Quad<T>*>(out + item.bin * slice +
                                (static_cast<unsigned long long>(kDepth ? 0 : z % p.ring) * t.ntheta + a) * p.pitch +
                                x) = value;
    const T highest = max(max(value.v[0], value.v[1]), max(value.v[2], value.v[3]));
    const T lowest = min(min(value.v[0], value.v[1]), min(value.v[2], value.v[3]));
    tally.written += static_cast<double>((value.v[0] + value.v[1]) + (value.v[2] + value.v[3]));
    tally.high = max(tally.high, static_cast<float>(highest));
    tally.low = max(tally.low, -static_cast<float>(lowest));
    if (highest >= p.threshold) extent.add(z, a, x);
  }

  __device__ void report() {
    __syncthreads();  // the next item reuses the shared memory
    double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
    double* written = p.written + static_cast<unsigned long long>(step + 1) * 2;
    const double energy = t.energy[item.bin];
    add_from_warp(tally.written, written);
    add_from_warp(tally.written * energy, written + 1);
    add_from_warp(tally.escaped_theta, ledger + kEscapedTheta);
    add_from_warp(tally.escaped_theta * energy, ledger + kEnergyEscapedTheta);
    add_from_warp(tally.escaped_x, ledger + kEscapedX);
    add_from_warp(tally.escaped_x * energy, ledger + kEnergyEscapedX);
    add_from_warp(tally.escaped_z, ledger + kEscapedZ);
    add_from_warp(tally.escaped_z * energy, ledger + kEnergyEscapedZ);
    max_from_warp(tally.low, p.scores.extremes);
    max_from_warp(tally.high, p.scores.extremes + 1);
    if (threadIdx.x == 0) {
      const int rows = kDepth ? 1 : max(0, min(item.z1, t.nz) - max(item.z0, 0));
      const int wide = max(0, min(item.x0 + kFusedTile, t.nx) - max(item.x0, 0));
      atomicAdd(ledger + kCellsVisited, static_cast<double>(rows) * a_count * wide);
    }
    if (p.window) extent.publish(p.bounds[(step + 1) & 1] + item.bin);
  }

  const FusedParameters<T>& p;
  const DeviceTables<T>& t;
  const WorkItem& item;
  int step;
  ItemTables<T>& tables;
  const DeviceBox* bounds;
  const T* state;
  T* out;
  unsigned long long slice;
  DeviceBox from;
  int half, angles, a_begin, a_count, width_, x_in;
  int own_x0, own_x1, own_z0, own_z1;  // donors whose escapes this item counts
  ItemLayout<T> s;
  const unsigned char* map = nullptr;
  Tally tally;
  Extent extent;
};

}  // namespace bb::transport::fused
