#pragma once

#include "cuda_fused.hpp"
#include "physics/remap.hpp"

// Device side of the fused step; see cuda_fused.hpp for how a step is laid out.
namespace bb::transport::fused {

using physics::kRemapReach;
using physics::kRemapTaps;

inline constexpr int kWarps = kFusedThreads / 32;

template <typename V>
__device__ inline V warp_sum(V v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

/// Adds a value from every thread of the block to `*to` (global), once per warp.
__device__ inline void add_from_warp(double value, double* to) {
  value = warp_sum(value);
  if ((threadIdx.x & 31) == 0 && value != 0.0) atomicAdd(to, value);
}

__device__ inline int clamp_int(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

__device__ inline bool is_empty(const DeviceBox& b) { return b.a0 >= b.a1; }

/// Columns of the input tile that the outputs of one tile can come from.
template <typename T>
__device__ inline int input_width(const FusedParameters<T>& p) {
  const int need = kFusedTile + (p.whole_x_max - p.whole_x_min) + 2 * kRemapReach + 1;
  return (need + 3) & ~3;
}

template <typename T>
__device__ inline DeviceBox source_box(const FusedParameters<T>& p, const DeviceBox* bounds, int bin) {
  const DeviceTables<T>& t = p.tables;
  DeviceBox from = {1 << 30, -1, 1 << 30, -1, 1 << 30, -1};
  for (int c = 0; c < t.classes; ++c) {
    for (int m = 0; m < t.materials; ++m) {
      const int row = (c * t.materials + m) * t.ne + bin;
      for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
        const DeviceBox b = bounds[t.gather_source[k]];
        if (is_empty(b)) continue;
        from.z0 = min(from.z0, b.z0);
        from.z1 = max(from.z1, b.z1);
        from.a0 = min(from.a0, b.a0);
        from.a1 = max(from.a1, b.a1);
        from.x0 = min(from.x0, b.x0);
        from.x1 = max(from.x1, b.x1);
      }
    }
  }
  return from;
}

/// Sums that one item collects per thread.
struct Tally {
  double written = 0, escaped_theta = 0, escaped_x = 0, escaped_z = 0;
};

/// What a thread has seen above the threshold.
struct Extent {
  int z0 = 1 << 30, z1 = -1, a0 = 1 << 30, a1 = -1, x0 = 1 << 30, x1 = -1;

  __device__ void add(int z, int a, int x) {
    z0 = min(z0, z);
    z1 = max(z1, z + 1);
    a0 = min(a0, a);
    a1 = max(a1, a + 1);
    x0 = min(x0, x);
    x1 = max(x1, x + 1);
  }
  __device__ void publish(DeviceBox* to) const {
    const int lz = __reduce_min_sync(0xffffffffu, z0), hz = __reduce_max_sync(0xffffffffu, z1);
    const int la = __reduce_min_sync(0xffffffffu, a0), ha = __reduce_max_sync(0xffffffffu, a1);
    const int lx = __reduce_min_sync(0xffffffffu, x0), hx = __reduce_max_sync(0xffffffffu, x1);
    if ((threadIdx.x & 31) != 0 || ha <= 0) return;
    atomicMin(&to->z0, lz);
    atomicMax(&to->z1, hz);
    atomicMin(&to->a0, la);
    atomicMax(&to->a1, ha);
    atomicMin(&to->x0, lx);
    atomicMax(&to->x1, hx);
  }
};

/// Makes one tile of one bin. Rows of z are marched; per row the energy gather fills `tile` [angle][x],
/// the angle convolution goes to `turned`, and the x remap to a ring of five rows, of which each thread
/// reads only columns that it wrote itself: two barriers per row.
template <typename T, bool kDepth>
__device__ void advance_item(const FusedParameters<T>& p, const WorkItem& item, int step, T* shared) {
  const DeviceTables<T>& t = p.tables;
  const DeviceBox* bounds = p.bounds[step & 1];
  const T* state = p.state[step & 1];
  T* out = p.state[(step + 1) & 1];
  const int bin = item.bin;
  const DeviceBox from = source_box(p, bounds, bin);
  const int half = p.half[bin];
  const int angles = from.a1 - from.a0;
  const int a_begin = max(0, from.a0 - half);
  const int a_end = min(t.ntheta, from.a1 + half);
  const int a_count = a_end - a_begin;
  const int width = input_width(p);
  const int x_in = item.x0 - p.whole_x_max - kRemapReach - 1;  // column of tile[.][0]
  const unsigned long long slice = static_cast<unsigned long long>(p.ring) * t.ntheta * p.pitch;

  T* tile = shared;                        // [angles][width]
  T* turned = tile + angles * width;       // [a_count][width]
  T* ring = turned + a_count * width;      // [kRemapTaps][a_count][kFusedTile]
  T* carry = ring + kRemapTaps * a_count * kFusedTile;  // [a_count][kFusedTile] G of the donor before
  const int columns = a_count * kFusedTile;

  // Columns whose escapes this tile counts: each donor column belongs to one tile.
  const int own_x0 = (item.first & 1) ? -(1 << 30) : item.x0;
  const int own_x1 = (item.last & 1) ? (1 << 30) : item.x0 + kFusedTile;
  const int own_z0 = (item.first & 2) ? -(1 << 30) : item.z0;
  const int own_z1 = (item.last & 2) ? (1 << 30) : item.z1;

  Tally tally;
  Extent extent;
  // An output row to = z - reach + whole needs the donor before it and that one's neighbours; where
  // the shifts of the angles differ, rows beside the content are visited too, to write their zeros.
  const int span = p.whole_z_max - p.whole_z_min;
  const int z_begin = kDepth ? 0 : max(min(from.z0 - span, item.z0), item.z0 - p.whole_z_max - 1 - kRemapReach);
  const int z_end = kDepth ? 1 : item.z1 - p.whole_z_min + kRemapReach;
  if (!kDepth) {
    for (int i = threadIdx.x; i < columns; i += kFusedThreads) {
      carry[i] = T(0);
      for (int r = 0; r < kRemapTaps; ++r) ring[r * columns + i] = T(0);
    }
  }
  int slot = 0;  // ring row of z
  for (int z = z_begin; z < z_end; ++z, slot = slot + 1 == kRemapTaps ? 0 : slot + 1) {
    const int map_row = kDepth ? p.start_z + step : z;
    const bool filled = z >= from.z0 && z < from.z1;
    const unsigned char* map = t.map + static_cast<unsigned long long>(map_row) * t.nx;
    const bool mixed = filled && t.mixed[map_row] != 0;
    const int row_material = filled ? map[0] : 0;
    if (filled) {
      for (int i = threadIdx.x; i < angles * width; i += kFusedThreads) {
        const int a = from.a0 + i / width;
        const int x = x_in + i % width;
        T sum = T(0);
        if (x >= from.x0 && x < from.x1) {
          const int m = mixed ? map[x] : row_material;
          const int row = ((kDepth ? a : 0) * t.materials + m) * t.ne + bin;
          for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
            const int source = t.gather_source[k];
            const DeviceBox& b = bounds[source];
            if (z < b.z0 || z >= b.z1 || a < b.a0 || a >= b.a1 || x < b.x0 || x >= b.x1) continue;
            sum += t.gather_weight[k] *
                   state[source * slice + (static_cast<unsigned long long>(z % p.ring) * t.ntheta + a) * p.pitch + x];
          }
        }
        tile[i] = sum;
      }
    }
    __syncthreads();
    if (filled) {
      // Angles beyond the grid (a < 0, a >= ntheta) are visited too, to count what leaves.
      const int lost_below = max(0, half - from.a0);
      const int lost_above = max(0, from.a1 + half - t.ntheta);
      const bool counts = z >= own_z0 && z < own_z1;
      for (int i = threadIdx.x; i < (lost_below + a_count + lost_above) * width; i += kFusedThreads) {
        const int a = a_begin - lost_below + i / width;
        const int column = i % width;
        const int x = x_in + column;
        T sum = T(0);
        if (x >= from.x0 && x < from.x1) {
          const int m = mixed ? map[x] : row_material;
          int row = m * t.ne + bin;
          int begin = t.angle_begin[row];
          int reach = t.angle_begin[row + 1] - begin - 1;
          const int b_end = min(from.a1, a + (kDepth ? half : reach) + 1);
          for (int b = max(from.a0, a - (kDepth ? half : reach)); b < b_end; ++b) {
            const int distance = a < b ? b - a : a - b;
            if (kDepth) {
              row = (b * t.materials + m) * t.ne + bin;
              begin = t.angle_begin[row];
              reach = t.angle_begin[row + 1] - begin - 1;
              if (distance > reach) continue;
            }
            sum += t.angle_weight[begin + distance] * tile[(b - from.a0) * width + column];
          }
        }
        if (a >= a_begin && a < a_end) {
          turned[(a - a_begin) * width + column] = sum;
        } else if (counts && x >= own_x0 && x < own_x1) {
          tally.escaped_theta += static_cast<double>(sum);
        }
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += kFusedThreads) {
      const int a = a_begin + i / kFusedTile;
      const int x = item.x0 + i % kFusedTile;
      T moved = T(0);
      if (filled) {
        const T* c = t.flux_x + a * kRemapTaps;
        const T* donor = turned + (a - a_begin) * width + (x - t.whole_x[a] - x_in);
        const T kept = donor[0] - physics::remap_flux(donor[-2], donor[-1], donor[0], donor[1], donor[2], c);
        moved = kept + physics::remap_flux(donor[-3], donor[-2], donor[-1], donor[0], donor[1], c);
        if (x < 0 || x >= t.nx) {
          if (z >= own_z0 && z < own_z1) tally.escaped_x += static_cast<double>(moved);
          moved = T(0);
        }
      }
      if (kDepth) {
        if (x < 0 || x >= t.nx) continue;
        out[bin * slice + static_cast<unsigned long long>(a) * p.pitch + x] = moved;
        tally.written += static_cast<double>(moved);
        if (moved >= p.threshold) extent.add(0, a, x);
        continue;
      }
      ring[slot * columns + i] = moved;
      // The donor two rows back now has its neighbours; it completes the output row it keeps in.
      const int r2 = slot >= 2 ? slot - 2 : slot + 3;
      const int r1 = slot >= 1 ? slot - 1 : slot + 4;
      const int r3 = slot >= 3 ? slot - 3 : slot + 2;
      const int r4 = slot >= 4 ? slot - 4 : slot + 1;
      const T content = ring[r2 * columns + i];
      const T passed = physics::remap_flux(ring[r4 * columns + i], ring[r3 * columns + i], content,
                                           ring[r1 * columns + i], moved, t.flux_z + a * kRemapTaps);
      const T value = (content - passed) + carry[i];
      carry[i] = passed;
      const int to = z - kRemapReach + t.whole_z[a];
      if (to < item.z0 || to >= item.z1) continue;
      if (to < 0 || to >= t.nz) {
        tally.escaped_z += static_cast<double>(value);
        continue;
      }
      if (x < 0 || x >= t.nx) continue;
      out[bin * slice + (static_cast<unsigned long long>(to % p.ring) * t.ntheta + a) * p.pitch + x] = value;
      tally.written += static_cast<double>(value);
      if (value >= p.threshold) extent.add(to, a, x);
    }
  }
  __syncthreads();  // the next item reuses the shared memory

  double* ledger = p.scores.ledger + static_cast<unsigned long long>(step - p.control->ledger_base) * kLedgerColumns;
  double* written = p.written + static_cast<unsigned long long>(step - p.control->ledger_base) * 2;
  const double energy = t.energy[bin];
  add_from_warp(tally.written, written);
  add_from_warp(tally.written * energy, written + 1);
  add_from_warp(tally.escaped_theta, ledger + kEscapedTheta);
  add_from_warp(tally.escaped_theta * energy, ledger + kEnergyEscapedTheta);
  add_from_warp(tally.escaped_x, ledger + kEscapedX);
  add_from_warp(tally.escaped_x * energy, ledger + kEnergyEscapedX);
  add_from_warp(tally.escaped_z, ledger + kEscapedZ);
  add_from_warp(tally.escaped_z * energy, ledger + kEnergyEscapedZ);
  if (p.window) extent.publish(p.bounds[(step + 1) & 1] + bin);
}

/// Adds what the protons of one bin, rows z0 … z1, leave behind: dose, plane crossings, stopped and lost.
template <typename T, bool kDepth>
__device__ void score_item(const FusedParameters<T>& p, const WorkItem& item, int step, T* shared) {
  const DeviceTables<T>& t = p.tables;
  const DeviceBox box = p.bounds[step & 1][item.bin];
  const unsigned long long slice = static_cast<unsigned long long>(p.ring) * t.ntheta * p.pitch;
  const T* state = p.state[step & 1] + item.bin * slice;
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  double number = 0, stopped = 0, nuclear = 0, nuclear_energy = 0, deposited = 0;
  T* partial = shared;  // [4][kWarps][32]
  for (int z = item.z0; z < item.z1; ++z) {
    const int map_row = kDepth ? p.start_z + step : z;
    for (int x0 = box.x0; x0 < box.x1; x0 += 32) {
      const int x = x0 + lane;
      T dose = T(0), current = T(0), current_t = T(0), current_tt = T(0);
      if (x < box.x1) {
        const int m = t.map[static_cast<unsigned long long>(map_row) * t.nx + x];
        const T* column = state + static_cast<unsigned long long>(kDepth ? 0 : z % p.ring) * t.ntheta * p.pitch + x;
        T count = T(0), stop = T(0), lost = T(0), lost_energy = T(0);
        for (int a = box.a0 + warp; a < box.a1; a += kWarps) {
          const T v = column[static_cast<unsigned long long>(a) * p.pitch];
          const T w = t.plane_weight[a] * v;
          const T theta = t.theta[a];
          count += v;
          current += w;
          current_t += w * theta;
          current_tt += w * theta * theta;
          if (kDepth) {
            const int row = (a * t.materials + m) * t.ne + item.bin;
            dose += v * t.deposit[row];
            stop += v * t.stopped[row];
            lost += v * t.nuclear[row];
            lost_energy += v * t.nuclear_escape[row];
          }
        }
        if (!kDepth) {
          const int row = m * t.ne + item.bin;
          dose = count * t.deposit[row];
          stop = count * t.stopped[row];
          lost = count * t.nuclear[row];
          lost_energy = count * t.nuclear_escape[row];
        }
        number += static_cast<double>(count);
        stopped += static_cast<double>(stop);
        nuclear += static_cast<double>(lost);
        nuclear_energy += static_cast<double>(lost_energy);
        deposited += static_cast<double>(dose);
      }
      partial[(0 * kWarps + warp) * 32 + lane] = dose;
      partial[(1 * kWarps + warp) * 32 + lane] = current;
      partial[(2 * kWarps + warp) * 32 + lane] = current_t;
      partial[(3 * kWarps + warp) * 32 + lane] = current_tt;
      __syncthreads();
      if (warp < 4 && x < box.x1) {
        double sum = 0;
        for (int w = 0; w < kWarps; ++w) sum += static_cast<double>(partial[(warp * kWarps + w) * 32 + lane]);
        double* const field = warp == 0   ? p.scores.dose
                              : warp == 1 ? p.scores.current
                              : warp == 2 ? p.scores.current_theta
                                          : p.scores.current_theta_theta;
        atomicAdd(field + static_cast<unsigned long long>(map_row) * t.nx + x, sum);
      }
      __syncthreads();
    }
  }
  double* ledger = p.scores.ledger + static_cast<unsigned long long>(step - p.control->ledger_base) * kLedgerColumns;
  add_from_warp(number, ledger + kInFlight);
  add_from_warp(number * t.energy[item.bin], ledger + kEnergyInFlight);
  add_from_warp(stopped, ledger + kStopped);
  add_from_warp(nuclear, ledger + kNuclear);
  add_from_warp(nuclear_energy, ledger + kEnergyNuclear);
  add_from_warp(deposited, ledger + kDeposited);
}

/// Lays out the work of step `step` from the bounds of its state. One block; returns after a barrier.
template <typename T, bool kDepth>
__device__ void plan_step(const FusedParameters<T>& p, int step) {
  const DeviceTables<T>& t = p.tables;
  StepControl* control = p.control;
  const DeviceBox* now = p.bounds[step & 1];
  DeviceBox* next = p.bounds[(step + 1) & 1];
  if (threadIdx.x == 0) control->items = 0;
  __syncthreads();
  const auto emit = [&](const WorkItem& item) {
    const int at = atomicAdd(&control->items, 1);
    if (at < p.work_capacity) {
      p.work[at] = item;
    } else {
      control->overflow = 1;
    }
  };
  // Low bins first: near the end of range they have the widest angle kernels.
  for (int bin = threadIdx.x; bin < t.ne; bin += kFusedThreads) {
    const DeviceBox from = source_box(p, now, bin);
    // Of a whole grid every cell is written, also where nothing can arrive.
    const bool whole_grid = p.window == 0 && !is_empty(from);
    next[bin] = whole_grid ? DeviceBox{0, kDepth ? 1 : t.nz, 0, t.ntheta, 0, t.nx}
                           : DeviceBox{1 << 30, -1, 1 << 30, -1, 1 << 30, -1};
    if (!is_empty(from)) {
      const int x0 = whole_grid ? min(0, p.whole_x_min) : from.x0 + p.whole_x_min;
      const int x1 = whole_grid ? max(t.nx, t.nx + p.whole_x_max + 1) : from.x1 + p.whole_x_max + 1;
      const int z0 = kDepth ? 0 : whole_grid ? min(0, p.whole_z_min) : from.z0 + p.whole_z_min;
      const int z1 = kDepth ? 1 : whole_grid ? max(t.nz, t.nz + p.whole_z_max + 1) : from.z1 + p.whole_z_max + 1;
      if (!kDepth && min(z1, t.nz) - max(z0, 0) > p.ring) control->overflow = 1;
      for (int z = z0; z < z1; z += p.chunk) {
        for (int x = x0; x < x1; x += kFusedTile) {
          emit({kAdvance, bin, x, z, min(z + p.chunk, z1), (x == x0 ? 1 : 0) | (z == z0 ? 2 : 0),
                (x + kFusedTile >= x1 ? 1 : 0) | (z + p.chunk >= z1 ? 2 : 0)});
        }
      }
    }
    const DeviceBox mine = now[bin];
    if (!is_empty(mine)) {
      for (int z = mine.z0; z < mine.z1; z += kScoreRows) emit({kScore, bin, 0, z, min(z + kScoreRows, mine.z1), 0, 0});
    }
  }
  __syncthreads();
}

/// Runs in the last block of a step: closes it and plans the next.
template <typename T, bool kDepth>
__device__ void finish_step(const FusedParameters<T>& p, int step) {
  StepControl* control = p.control;
  const double written = p.written[static_cast<unsigned long long>(step - control->ledger_base) * 2];
  const bool done = written <= p.stop_number || control->overflow != 0;
  if (!done) plan_step<T, kDepth>(p, step + 1);
  if (threadIdx.x == 0) {
    control->next_item = 0;
    control->blocks_done = 0;
    if (done) control->done = 1;
    __threadfence();
    atomicExch(&control->step, step + 1);
  }
}

template <typename T, bool kDepth>
__device__ void work_through(const FusedParameters<T>& p, int step, T* shared) {
  __shared__ int mine;
  for (;;) {
    if (threadIdx.x == 0) mine = static_cast<int>(atomicAdd(&p.control->next_item, 1u));
    __syncthreads();
    const int index = mine;
    __syncthreads();
    if (index >= p.control->items) break;
    const WorkItem item = p.work[index];
    if (item.kind == kAdvance) {
      advance_item<T, kDepth>(p, item, step, shared);
    } else {
      score_item<T, kDepth>(p, item, step, shared);
    }
  }
}

/// True in every thread of the block that finishes the step last.
template <typename T>
__device__ bool last_block(const FusedParameters<T>& p) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&p.control->blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

/// Calls f(value, z, angle, x) for every cell of a bin's box.
template <typename T, typename F>
__device__ void each_cell(const FusedParameters<T>& p, int bin, F&& f) {
  const DeviceTables<T>& t = p.tables;
  const int step = p.control->step;
  const DeviceBox box = p.bounds[step & 1][bin];
  if (is_empty(box)) return;
  const T* state = p.state[step & 1] + static_cast<unsigned long long>(bin) * p.ring * t.ntheta * p.pitch;
  const int width = box.x1 - box.x0;
  const int angles = box.a1 - box.a0;
  const int cells = (box.z1 - box.z0) * angles * width;
  for (int i = threadIdx.x; i < cells; i += kFusedThreads) {
    const int x = box.x0 + i % width;
    const int a = box.a0 + i / width % angles;
    const int z = box.z0 + i / (width * angles);
    f(state[(static_cast<unsigned long long>(z % p.ring) * t.ntheta + a) * p.pitch + x], z, a, x);
  }
}

template <typename T>
__device__ void count_bin(const FusedParameters<T>& p, int bin) {
  double number = 0;
  each_cell(p, bin, [&](T v, int, int, int) { number += static_cast<double>(v); });
  double* ledger =
      p.scores.ledger + static_cast<unsigned long long>(p.control->step - p.control->ledger_base) * kLedgerColumns;
  add_from_warp(number, ledger + kInFlight);
  add_from_warp(number * p.tables.energy[bin], ledger + kEnergyInFlight);
}

template <typename T>
__device__ void marginals_of_bin(const FusedParameters<T>& p, const MarginalFields& fields, int bin) {
  const DeviceTables<T>& t = p.tables;
  const int plane = t.depth != 0 ? p.start_z + p.control->step : 0;
  each_cell(p, bin, [&](T v, int z, int a, int x) {
    const float value = static_cast<float>(v);
    if (value == 0.0f) return;
    const int row = min(plane + z, t.nz - 1);
    atomicAdd(fields.zx + static_cast<unsigned long long>(row) * t.nx + x, value);
    atomicAdd(fields.xtheta + static_cast<unsigned long long>(x) * t.ntheta + a, value);
    atomicAdd(fields.etheta + static_cast<unsigned long long>(bin) * t.ntheta + a, value);
    atomicAdd(fields.ez + static_cast<unsigned long long>(bin) * t.nz + row, value);
  });
}

}  // namespace bb::transport::fused
