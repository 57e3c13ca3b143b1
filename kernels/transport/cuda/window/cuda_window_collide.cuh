#pragma once

#include "cuda_window_common.cuh"

// First pass of a step, for some angles and columns of one z row of one bin: energy gather, scores of the bin's own
// protons, angle kernel, and remap in x. An item gathers the neighbouring angles and columns that it needs itself.
// Depth stepping has no second pass.
namespace bb::transport::window {

/// kMixed: the row has several materials. Tracks: DeviceTracks or NoTracks.
template <typename T, bool kDepth, bool kMixed, typename Tracks>
class Collide {
 public:
  __device__ Collide(const WindowParameters<T>& parameters, const Tracks& moments, SharedPointers<T>& memory,
                     FixedMemory& fixed_memory, int in_slot, int at_step)
      : p(parameters),
        tracks(moments),
        t(parameters.tables),
        s(memory),
        fixed(fixed_memory),
        slot(in_slot),
        item(fixed_memory.items[in_slot]),
        views(memory.views + in_slot * parameters.layout.most_views),
        step(at_step) {}

  /// Computes and writes the item; other blocks wait for its result.
  __device__ void run(float& lowest, float& highest) {
    choose_tile();
    copy_angle_data();
    gather();
    clear();
    asm volatile("cp.async.wait_all;" ::: "memory");
    meet_workers();
    convolve_angles();
    meet_workers();
    move(lowest, highest);
    if (kDepth) publish_written(p, s, fixed, bin, step);
  }

  /// Adds the scores of the item to the totals; no block waits for them.
  __device__ void add_scores() {
    score();
    meet_workers();
    finish_scores();
    add();
  }

 private:
  static constexpr int kMaxSplit = 3;
  // Additional sums of a column: protons weighted by path length relative to the beam's, if it differs by angle, and
  // reacted protons.
  static constexpr bool kScoresPath = Tracks::kOn && kDepth;
  static constexpr int kPathLength = 4, kReacted = kScoresPath ? 5 : 4;

  __device__ void choose_tile() {
    bin = item.bin;
    half = s.bins[bin].half;
    z = kDepth ? 0 : item.z;
    map_row = kDepth ? p.start_z + step : z;
    material = s.row_material[map_row];
    a0 = item.a0;
    a1 = item.a1;
    x0 = item.x0;
    quads = item.quads;
    // The tile contains the columns of the item, and the columns from which protons can move into them.
    tile_x0 = floor_quads(min(x0, x0 - p.whole_x_max - 3));
    const int end = x0 + 4 * quads;
    tile_quads = (max(end, floor_quads(end - 7 - p.whole_x_min) + 12) - tile_x0) / 4;
    pitch = tile_quads | 1;  // in quads; odd, so that neighbouring angles are in different banks
    first_a = a0 - half;
    tile_rows = a1 - a0 + 2 * half + kWindowTurned - 1;
    gathered_a0 = item.from_a0;
    gathered_a1 = item.from_a1;
    held_weights = !kMixed && (half + 1) * (kDepth ? tile_rows : 1) <= p.layout.most_weights;
    kernel = p.kernel_weight + s.bins[bin].kernel_at;
  }

  /// Clears the tile on both sides of the gathered angles. The last warps clear first, because they gather least.
  __device__ void clear() {
    constexpr int kThreads = kWindowWorkers;
    const int thread = kThreads - 1 - static_cast<int>(threadIdx.x);
    const int before = (gathered_a0 - first_a) * pitch;
    const int begin = (max(gathered_a1, gathered_a0) - first_a) * pitch;
    for (int i = thread; i < before; i += kThreads) s.tile[i] = Quad<T>{};
    for (int i = begin + thread; i < tile_rows * pitch; i += kThreads) s.tile[i] = Quad<T>{};
    // Rows without gathered content have no protons of the bin itself either.
    const int own_before = max(gathered_a0 - a0, 0) * quads;
    const int own_begin = max(gathered_a1 - a0, 0) * quads;
    for (int i = thread; i < own_before; i += kThreads) s.own[i] = Quad<T>{};
    for (int i = own_begin + thread; i < (a1 - a0) * quads; i += kThreads) s.own[i] = Quad<T>{};
  }

  /// Starts an asynchronous copy of one value to shared memory.
  __device__ static void copy_value(T* to, const T* value) {
    const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (sizeof(T) == 4) {
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(value) : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(value) : "memory");
    }
  }

  /// Starts the copies of data that depend only on the angle to shared memory. The block waits for them after the
  /// gather.
  __device__ void copy_angle_data() {
    if (kMixed) return;
    const int lane = threadIdx.x & 31, warp = kWarps - 1 - (threadIdx.x >> 5);
    if (held_weights) {
      const T* from_kernel = kernel + static_cast<long long>(material) * (half + 1) * t.classes;
      if constexpr (kDepth) {
        for (int d = warp; d <= half; d += kWarps) {
          for (int row = lane; row < tile_rows; row += 32) {
            const int a = min(max(first_a + row, 0), t.ntheta - 1);  // no content is gathered beyond the grid
            copy_value(s.weights + d * tile_rows + row, from_kernel + d * t.classes + a);
          }
        }
      } else {
        for (int d = threadIdx.x; d <= half; d += kWindowWorkers) copy_value(s.weights + d, from_kernel + d);
      }
    }
    if constexpr (kDepth) {
      for (int i = threadIdx.x; i < a1 - a0; i += kWindowWorkers) {
        copy_value(s.deposits + i, t.deposit + at(a0 + i, material));
      }
    }
  }

  /// Row of the tables for protons at angle a in material m.
  __device__ int at(int a, int m) const { return ((kDepth ? t.path_of[a] : 0) * t.materials + m) * t.ne + bin; }
  __device__ int material_at(int x) const {
    return t.map[static_cast<long long>(map_row) * t.nx + min(max(x, 0), t.nx - 1)];
  }

  __device__ void gather() {
    const int sources = item.sources, own_source = item.own_source;
    const int rows = max(gathered_a1 - gathered_a0, 0);
    const int step_rows = divide(kWindowWorkers, tile_quads);
    const int step_quads = kWindowWorkers - step_rows * tile_quads;
    int row = divide(static_cast<int>(threadIdx.x), tile_quads);
    int quad = static_cast<int>(threadIdx.x) - row * tile_quads;
    T below = T(0), above = T(0);
    for (; row < rows; row += step_rows, quad += step_quads) {
      if (quad >= tile_quads) {
        quad -= tile_quads;
        if (++row >= rows) break;
      }
      const int a = gathered_a0 + row;
      const int x = tile_x0 + 4 * quad;
      int m[4] = {material, material, material, material};
      if (kMixed) {
        for (int j = 0; j < 4; ++j) m[j] = material_at(x + j);
      }
      const int c = kDepth ? a : 0;
      const int place = a * p.pitch + x, weight_place = material * t.classes + c;
      Quad<T> sum = {}, own = {};
      for (int base = (sources - 1) / kWindowBatch * kWindowBatch; base >= 0; base -= kWindowBatch) {
        Quad<T> value[kWindowBatch];
        T weight[kWindowBatch];
        const T* weights[kWindowBatch];
#pragma unroll
        for (int k = 0; k < kWindowBatch; ++k) {
          value[k] = Quad<T>{};
          weight[k] = T(0);
          weights[k] = nullptr;
          if (base + k >= sources) continue;
          const WindowSource<T>& view = views[base + k];
          if (a < view.a0 || a >= view.a1 || x < view.x0 || x >= view.x1) continue;
          value[k] = load_quad(view.row + place);
          weights[k] = view.weight;
          if (!kMixed && view.weight != nullptr) weight[k] = view.weight[weight_place];
        }
#pragma unroll
        for (int k = kWindowBatch - 1; k >= 0; --k) {  // the lightest source first
          if (base + k == own_source) own = value[k];
          for (int j = 0; j < 4; ++j) {
            if (kMixed) {
              if (weights[k] != nullptr) sum.v[j] += weights[k][m[j] * t.classes + c] * value[k].v[j];
            } else {
              sum.v[j] += weight[k] * value[k].v[j];
            }
          }
        }
      }
      s.tile[(a - first_a) * pitch + quad] = sum;
      const int column = (x - x0) >> 2;
      if (a < a0 || a >= a1 || x < x0 || column >= quads) continue;
      s.own[(a - a0) * quads + column] = own;
      if (a < half || a + half >= t.ntheta) {
        const T* lost = p.lost + static_cast<long long>(bin) * t.materials * t.ntheta + a;
        const T* lost_high = lost + static_cast<long long>(t.ne) * t.materials * t.ntheta;
        for (int j = 0; j < 4; ++j) {
          below += lost[m[j] * t.ntheta] * sum.v[j];
          above += lost_high[m[j] * t.ntheta] * sum.v[j];
        }
      }
    }
    __syncwarp();
    tally_escapes(s.sums + (threadIdx.x >> 5) * kWindowTallies, kTallyThetaLow, static_cast<double>(below),
                  static_cast<double>(above), t.energy[bin]);
  }

  /// Sums the bin's own protons over a part of the angles of a column. The first sum is their number (path stepping) or
  /// dose (depth stepping); the others are planes crossed, times 1, θ and θ².
  __device__ void score() {
    const int columns = 4 * quads;
    const int groups = divide(kWindowWorkers, columns);
    const int group = divide(static_cast<int>(threadIdx.x), columns);
    const int column = static_cast<int>(threadIdx.x) - group * columns;
    T sum[4] = {}, reacted = T(0);
    [[maybe_unused]] T way = T(0);
    if (group < groups) {
      const int m = kMixed ? material_at(x0 + column) : material;
      const T* own = reinterpret_cast<const T*>(s.own) + column;
      T stopped = T(0), nuclear = T(0), nuclear_energy = T(0);
      for (int row = group; row < a1 - a0; row += groups) {
        const T value = own[row * columns];
        const WindowAngle<T>& angle = s.angles[a0 + row];
        const T planed = kDepth ? value : angle.plane_weight * value;
        sum[0] += kDepth ? value * (kMixed ? t.deposit[at(a0 + row, m)] : s.deposits[row]) : value;
        sum[1] += planed;
        sum[2] += planed * angle.theta;
        sum[3] += planed * angle.theta * angle.theta;
        if constexpr (kScoresPath) way += value * tracks.way[a0 + row];
        if (kDepth && s.bins[bin].ends != 0) {
          const int place = at(a0 + row, m);
          stopped += value * t.stopped[place];
          nuclear += value * t.nuclear[place];
          nuclear_energy += value * t.nuclear_escape[place];
        }
      }
      if (!kDepth && s.bins[bin].ends != 0) {
        const int place = at(0, m);
        stopped = sum[0] * t.stopped[place];
        nuclear = sum[0] * t.nuclear[place];
        nuclear_energy = sum[0] * t.nuclear_escape[place];
      }
      tally[kTallyStopped] = static_cast<double>(stopped);
      tally[kTallyNuclear] = static_cast<double>(nuclear);
      tally[kTallyNuclearEnergy] = static_cast<double>(nuclear_energy);
      reacted = nuclear;
    }
    for (int f = 0; f < 4; ++f) s.partial[f * kWindowWorkers + threadIdx.x] = static_cast<double>(sum[f]);
    if constexpr (kScoresPath) s.partial[kPathLength * kWindowWorkers + threadIdx.x] = static_cast<double>(way);
    if (p.scores.reactions.on()) s.partial[kReacted * kWindowWorkers + threadIdx.x] = static_cast<double>(reacted);
  }

  __device__ void finish_scores() {
    const int columns = 4 * quads;
    const int groups = divide(kWindowWorkers, columns);
    const int fields = p.scores.reactions.on() ? kReacted + 1 : kReacted;
    for (int i = threadIdx.x; i < fields * columns; i += kWindowWorkers) {
      const int field = divide(i, columns);
      const int column = i - field * columns;
      double sum = 0;
      for (int g = 0; g < groups; ++g) sum += s.partial[field * kWindowWorkers + g * columns + column];
      if (sum == 0.0) continue;
      if constexpr (kScoresPath) {
        if (field == kPathLength) {
          score_tracks(column, sum);
          continue;
        }
      }
      if (field == kReacted) {
        record_reactions(p.scores.reactions, bin, map_row, x0 + column, sum);
        continue;
      }
      if (field == (kDepth ? 1 : 0)) tally[kTallyNumber] += sum;
      if constexpr (Tracks::kOn && !kDepth) {
        if (field == 0) score_tracks(column, sum);
      }
      if (field == 0) {
        if (!kDepth) sum *= static_cast<double>(t.deposit[at(0, kMixed ? material_at(x0 + column) : material)]);
        tally[kTallyDeposited] += sum;
      }
      double* const to = field == 0   ? p.scores.dose
                         : field == 1 ? p.scores.current
                         : field == 2 ? p.scores.current_theta
                                      : p.scores.current_theta_theta;
      atomicAdd(to + static_cast<long long>(map_row) * t.nx + x0 + column, sum);
    }
  }

  __device__ void score_tracks(int column, double protons) const {
    record_tracks(tracks, t, bin, kMixed ? material_at(x0 + column) : material, map_row, x0 + column, protons);
  }

  /// Weight with which angle a, in row `row` of the tile, scatters by `d` angles.
  __device__ T weight_of(int row, int d, int m) const {
    const int a = min(max(first_a + row, 0), t.ntheta - 1);
    return kernel[(static_cast<long long>(m) * (half + 1) + d) * t.classes + (kDepth ? a : 0)];
  }

  /// Applies the angle kernel. A thread computes neighbouring angles, so that it reads each row of the tile once for
  /// all of them. It adds distant terms first, so that FP32 sums have no systematic loss.
  __device__ void convolve_angles() {
    const int groups = (a1 - a0 + kWindowTurned - 1) / kWindowTurned;
    const int units = groups * tile_quads;
    // One unit of work is a quad of columns at kWindowTurned angles. If there are few units, several lanes share one,
    // and each computes a part of the distances.
    int split = 0;
    if (!kMixed) {
      while (split < kMaxSplit && units << (split + 1) <= kWindowWorkers && 4 << split <= half) ++split;
    }
    const int lane = threadIdx.x & 31;
    const int lanes = 32 >> split;  // lanes of a warp that work on different units
    const int part = lane >> (5 - split);
    const int first = (static_cast<int>(threadIdx.x) >> 5) * lanes + (lane & (lanes - 1));
    for (int base = 0; base < units; base += kWarps * lanes) {
      const int unit = min(base + first, units - 1);
      const int group = divide(unit, tile_quads);
      const int quad = unit - group * tile_quads;
      const int row = half + group * kWindowTurned;  // row of the tile
      // Limits the distances to rows with gathered content.
      const int low_reach = row + kWindowTurned - 1 - (gathered_a0 - first_a);
      const int high_reach = gathered_a1 - 1 - first_a - row;
      const int reach = max(0, min(half, max(low_reach, high_reach)));
      Quad<T> sum[kWindowTurned] = {};
      if (kMixed) {
        convolve_mixed(sum, quad, row, reach);
      } else {
        const int each = (reach + (1 << split) - 1) >> split;
        const int from = min(reach, (part + 1) * each), beyond = part * each;
        if (held_weights) {
          convolve_uniform<true>(sum, quad, row, from, beyond);
        } else {
          convolve_uniform<false>(sum, quad, row, from, beyond);
        }
      }
      for (int offset = lanes; offset < 32; offset <<= 1) {
#pragma unroll
        for (int k = 0; k < kWindowTurned; ++k) {
          for (int j = 0; j < 4; ++j) sum[k].v[j] += __shfl_xor_sync(kWholeWarp, sum[k].v[j], offset);
        }
      }
      if (part != 0 || base + first >= units) continue;
      const int made = min(kWindowTurned, a1 - a0 - group * kWindowTurned);
#pragma unroll
      for (int k = 0; k < kWindowTurned; ++k) {
        if (k < made) s.turned[(group * kWindowTurned + k) * pitch + quad] = sum[k];
      }
    }
  }

  /// Adds the terms of distances `from` down to `beyond` + 1, and the content that stays if `beyond` is 0. Each row
  /// that is read contributes to all angles of the thread. The loop over distances is unrolled by the number of angles,
  /// so that rows stay in their registers. kHeld: the weights are in shared memory.
  template <bool kHeld>
  __device__ void convolve_uniform(Quad<T> (&sum)[kWindowTurned], int quad, int row, int from, int beyond) const {
    if (from <= beyond && beyond > 0) return;
    constexpr int kMade = kWindowTurned;
    const Quad<T>* below = s.tile + (row - from) * pitch + quad;
    const Quad<T>* above = s.tile + (row + from) * pitch + quad;
    // Weights of the tile's rows at the current distance.
    const T* weights = s.weights + from * (kDepth ? tile_rows : 1) + (kDepth ? row : 0);
    Quad<T> low[kMade], high[kMade];
#pragma unroll
    for (int k = 0; k < kMade; ++k) {
      low[k] = below[k * pitch];
      high[k] = above[k * pitch];
    }
    below += kMade * pitch;
    for (int first = from; first > beyond; first -= kMade) {
#pragma unroll
      for (int turn = 0; turn < kMade; ++turn) {
        const int d = first - turn;
        if (d <= beyond) break;
        if constexpr (kDepth) {
          const T* const weights_low = weights - d;
          const T* const weights_high = weights + d;
#pragma unroll
          for (int k = 0; k < kMade; ++k) {
            const T wl = kHeld ? weights_low[k] : weight_of(row + k - d, d, material);
            const T wh = kHeld ? weights_high[k] : weight_of(row + k + d, d, material);
            const Quad<T>&l = low[(k + turn) % kMade], &h = high[(k + kMade - turn) % kMade];
            for (int j = 0; j < 4; ++j) sum[k].v[j] += wl * l.v[j] + wh * h.v[j];
          }
        } else {
          const T w = kHeld ? *weights : weight_of(0, d, material);
#pragma unroll
          for (int k = 0; k < kMade; ++k) {
            const Quad<T>&l = low[(k + turn) % kMade], &h = high[(k + kMade - turn) % kMade];
            for (int j = 0; j < 4; ++j) sum[k].v[j] += w * (l.v[j] + h.v[j]);
          }
        }
        weights -= kDepth ? tile_rows : 1;
        above -= pitch;
        low[turn] = *below;
        high[kMade - 1 - turn] = *above;
        below += pitch;
      }
    }
    if (beyond > 0) return;
    const Quad<T>* centre = s.tile + row * pitch + quad;
#pragma unroll
    for (int k = 0; k < kMade; ++k) {
      const T w = kHeld ? s.weights[kDepth ? row + k : 0] : weight_of(row + k, 0, material);
      const Quad<T> stays = centre[k * pitch];
      for (int j = 0; j < 4; ++j) sum[k].v[j] += w * stays.v[j];
    }
  }

  /// Applies the angle kernel where it differs by column.
  __device__ void convolve_mixed(Quad<T> (&sum)[kWindowTurned], int quad, int row, int reach) const {
    int m[4];
    for (int j = 0; j < 4; ++j) m[j] = material_at(tile_x0 + 4 * quad + j);
#pragma unroll
    for (int k = 0; k < kWindowTurned; ++k) {
      const Quad<T>* centre = s.tile + (row + k) * pitch + quad;
      for (int d = reach; d > 0; --d) {
        const Quad<T> low = centre[-d * pitch], high = centre[d * pitch];
        for (int j = 0; j < 4; ++j) {
          sum[k].v[j] += weight_of(row + k - d, d, m[j]) * low.v[j] + weight_of(row + k + d, d, m[j]) * high.v[j];
        }
      }
      for (int j = 0; j < 4; ++j) sum[k].v[j] += weight_of(row + k, 0, m[j]) * centre->v[j];
    }
  }

  /// Remaps the item in x.
  __device__ void move(float& lowest, float& highest) {
    Extent extent;
    T below = T(0), above = T(0);
    double written = 0;
    T* const out = (kDepth ? p.state[(step + 1) & 1] : p.state[1]) + row_start(p, bin, z);
    for (int i = threadIdx.x; i < (a1 - a0) * quads; i += kWindowWorkers) {
      const int row = divide(i, quads);
      const int x = x0 + 4 * (i - row * quads);
      const int a = a0 + row;
      const WindowAngle<T>& angle = s.angles[a];
      const int first_donor = x - angle.whole_x - 3;
      const int start = first_donor - tile_x0;
      const Quad<T>* source = s.turned + row * pitch + start / 4;
      T v[12];
      for (int q = 0; q < 3; ++q) {
        const Quad<T> part = source[q];
        for (int j = 0; j < 4; ++j) v[4 * q + j] = part.v[j];
      }
      if (start & 1) {
#pragma unroll
        for (int j = 0; j < 11; ++j) v[j] = v[j + 1];
      }
      if (start & 2) {
#pragma unroll
        for (int j = 0; j < 9; ++j) v[j] = v[j + 2];
      }
      T c[kRemapTaps];
      for (int k = 0; k < kRemapTaps; ++k) c[k] = angle.flux_x[k];
      Quad<T> moved = reads_behind(first_donor, t.nx, angle.whole_x)
                          ? remap_quad_behind(v, c, first_donor, t.nx, angle.whole_x)
                          : remap_quad(v, c);
      if (x < 0 || x + 3 >= t.nx) {
        for (int j = 0; j < 4; ++j) {
          if (x + j >= 0 && x + j < t.nx) continue;
          (x < 0 ? below : above) += moved.v[j];
          moved.v[j] = T(0);
        }
      }
      if (x < 0 || x >= t.nx) continue;
      store_quad(out + static_cast<long long>(a) * p.pitch + x, moved);
      if (!kDepth) continue;
      const T high = max(max(moved.v[0], moved.v[1]), max(moved.v[2], moved.v[3]));
      const T low = min(min(moved.v[0], moved.v[1]), min(moved.v[2], moved.v[3]));
      if (high >= p.threshold) extent.add(z, a, x);
      written += static_cast<double>(sum_quad(moved));
      highest = max(highest, static_cast<float>(high));
      lowest = max(lowest, -static_cast<float>(low));
    }
    __syncwarp();
    tally[kTallyXLow] = static_cast<double>(below);
    tally[kTallyXHigh] = static_cast<double>(above);
    if (!kDepth) return;
    extent.publish(fixed.extent);
    tally_written(s, written, t.energy[bin]);
  }

  /// Adds the warp's sums to its row of tallies. Each exchange halves the values per lane, so that each lane ends with
  /// one sum.
  __device__ void add() {
    const int lane = threadIdx.x & 31;
    double v[kTallied];
    for (int i = 0; i < kTallied; ++i) v[i] = tally[i];
#pragma unroll
    for (int half = kTallied / 2, offset = 16; half > 0; half /= 2, offset /= 2) {
      const bool upper = (lane & offset) != 0;
#pragma unroll
      for (int i = 0; i < half; ++i) {
        const double send = upper ? v[i] : v[i + half];
        v[i] = (upper ? v[i + half] : v[i]) + __shfl_xor_sync(kWholeWarp, send, offset);
      }
    }
    double sum = v[0];
    sum += __shfl_xor_sync(kWholeWarp, sum, 2);
    sum += __shfl_xor_sync(kWholeWarp, sum, 1);
    if ((lane & 3) != 0) return;
    double* sums = s.sums + (threadIdx.x >> 5) * kWindowTallies;
    const int slot = lane >> 2;
    sums[slot] += sum;
    const int energy_slot = slot == kTallyNumber  ? kTallyNumberEnergy
                            : slot == kTallyXLow  ? kTallyXLowEnergy
                            : slot == kTallyXHigh ? kTallyXHighEnergy
                                                  : -1;
    if (energy_slot >= 0) sums[energy_slot] += sum * t.energy[bin];
  }

  const WindowParameters<T>& p;
  const Tracks& tracks;
  const DeviceTables<T>& t;
  SharedPointers<T>& s;
  FixedMemory& fixed;
  int slot;  // index of the current item, 0 or 1
  const Item& item;
  const WindowSource<T>* views;
  int step;
  int bin, half, z, map_row, material;
  int a0, a1, x0, quads;           // range of the item
  int tile_x0, tile_quads, pitch;  // columns of the tile, and its row pitch in quads
  int first_a, tile_rows;          // angles of the tile
  int gathered_a0, gathered_a1;    // those of them with gathered content
  bool held_weights;
  const T* kernel;
  double tally[kTallied] = {};
};

}  // namespace bb::transport::window
