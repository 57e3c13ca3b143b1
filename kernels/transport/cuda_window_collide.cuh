#pragma once

#include "cuda_window_plan.cuh"

// First pass of a step, for some angles and columns of one z row of one bin: energy gather, scores of the bin's
// own protons, angle kernel, and remap in x. What it needs of its neighbours' angles and columns it gathers
// itself. Depth stepping has no other pass.
namespace bb::transport::window {

template <typename T, bool kDepth>
class Collide {
 public:
  __device__ Collide(const WindowParameters<T>& parameters, Shared<T>& memory, Fixed& fixed_memory, int at_step)
      : p(parameters), t(parameters.tables), s(memory), fixed(fixed_memory), step(at_step) {}

  __device__ void run(int item, float budget, float& lowest, float& highest) {
    choose(item, budget);
    if (threadIdx.x < 32) list_sources();
    clear_and_hold();
    __syncthreads();
    Tally tally;
    if (material >= 0) {
      gather<false>(tally);
    } else {
      gather<true>(tally);
    }
    __syncthreads();
    if (material >= 0) {
      score<false>(tally);
      turn<false>();
    } else {
      score<true>(tally);
      turn<true>();
    }
    __syncthreads();
    finish_scores(tally);
    move(tally, lowest, highest);
    add(tally);
    __syncthreads();  // the next item reuses the shared memory
    if (kDepth) widen_bounds(p, fixed, bin, step);
  }

 private:
  struct Tally {
    double v[kTallied] = {};
  };

  __device__ void choose(int item, float budget) {
    bin = bin_of_item(s.collide_begin, t.ne, item);
    const Reach r = reach_of(p, s, bin);
    from = r.from;
    bin_data = s.bins[bin];
    const Split split = split_of(p, r, bin_data.cost, budget);
    int index = item - s.collide_begin[bin];
    const int tile = index % split.tiles;
    index /= split.tiles;
    const int chunk = index % split.chunks;
    z = from.z0 + index / split.chunks;
    map_row = kDepth ? p.start_z + step : z;
    material = s.row_material[map_row];
    a0 = r.a0 + chunk * split.angles;
    a1 = min(a0 + split.angles, r.a1);
    x0 = r.x0 + 4 * tile * split.quads;
    quads = min(split.quads, r.quads - tile * split.quads);
    // Columns whose protons can come here, and those that come from here.
    tile_x0 = floor_quads(min(x0, x0 - p.whole_x_max - 3));
    const int end = x0 + 4 * quads;
    tile_quads = (max(end, floor_quads(end - 7 - p.whole_x_min) + 12) - tile_x0) / 4;
    first_a = a0 - bin_data.half;
    tile_rows = a1 - a0 + 2 * bin_data.half + kWindowTurned - 1;
    gathered_a0 = max(from.a0, first_a);
    gathered_a1 = min(from.a1, a1 + bin_data.half);
    held_weights = material >= 0 && (bin_data.half + 1) * (kDepth ? tile_rows : 1) <= p.layout.most_weights;
    feeds = p.feed_weight + bin_data.feed_weight_at;
    kernel = p.kernel_weight + bin_data.kernel_at;
  }

  __device__ const T* now() const { return kDepth ? p.state[step & 1] : p.state[0]; }

  /// The bins that feed this one and hold something in this row, heaviest first, and the bin itself if it does not
  /// feed. One warp.
  __device__ void list_sources() {
    const int lane = threadIdx.x;
    int listed = 0, own_source = -1;
    const auto list = [&](bool wanted, int source, const T* weight) {
      const short* b = s.boxes + 8 * source;
      const bool holds = wanted && b[2] < b[3] && z >= b[0] && z < b[1];
      const unsigned holding = __ballot_sync(kWholeWarp, holds);
      const int place = listed + __popc(holding & ((1u << lane) - 1));
      if (holds) s.views[place] = {now() + row_start(p, source, z), weight, b[2], b[3], b[4], b[5], source, 0};
      const int own = holds && source == bin ? place : -1;
      own_source = max(own_source, __reduce_max_sync(kWholeWarp, own));
      listed += __popc(holding);
    };
    bool feeds_itself = false;
    for (int base = 0; base < bin_data.feed_count; base += 32) {
      const int k = base + lane;
      const bool inside = k < bin_data.feed_count;
      const int source = inside ? s.feeds[bin_data.feed_at + k] : bin;
      feeds_itself = feeds_itself || __any_sync(kWholeWarp, inside && source == bin);
      list(inside, source, feeds + static_cast<long long>(k) * t.materials * t.classes);
    }
    if (!feeds_itself) list(lane == 0, bin, nullptr);
    if (lane == 0) {
      fixed.sources = listed;
      fixed.own_source = own_source;
    }
  }

  /// Zeros beside the gathered angles; what depends on angles alone comes into shared memory.
  __device__ void clear_and_hold() {
    const int before = gathered_a0 - first_a;
    const int behind = first_a + tile_rows - max(gathered_a1, gathered_a0);
    for (int i = threadIdx.x; i < before * tile_quads; i += kWindowThreads) s.tile[i] = Quad<T>{};
    Quad<T>* end = s.tile + (tile_rows - behind) * tile_quads;
    for (int i = threadIdx.x; i < behind * tile_quads; i += kWindowThreads) end[i] = Quad<T>{};
    if (material < 0) return;
    if (held_weights) {
      const T* from_kernel = kernel + static_cast<long long>(material) * (bin_data.half + 1) * t.classes;
      if constexpr (kDepth) {
        const int taps = bin_data.half + 1;
        for (int i = threadIdx.x; i < taps * tile_rows; i += kWindowThreads) {
          const int d = i / tile_rows;
          const int a = first_a + i - d * tile_rows;
          s.weights[i] = a >= 0 && a < t.ntheta ? from_kernel[d * t.classes + a] : T(0);
        }
      } else {
        for (int d = threadIdx.x; d <= bin_data.half; d += kWindowThreads) s.weights[d] = from_kernel[d];
      }
    }
    if constexpr (kDepth) {
      for (int i = threadIdx.x; i < a1 - a0; i += kWindowThreads) s.deposits[i] = t.deposit[at(a0 + i, material)];
    }
  }

  /// Row of the tables for protons of angle a in a material.
  __device__ int at(int a, int m) const { return ((kDepth ? a : 0) * t.materials + m) * t.ne + bin; }
  __device__ int material_at(int x) const {
    return t.map[static_cast<long long>(map_row) * t.nx + min(max(x, 0), t.nx - 1)];
  }

  template <bool kMixed>
  __device__ void gather(Tally& tally) {
    const int sources = fixed.sources, own_source = fixed.own_source;
    const int rows = max(gathered_a1 - gathered_a0, 0);
    const int step_rows = kWindowThreads / tile_quads, step_quads = kWindowThreads % tile_quads;
    int row = static_cast<int>(threadIdx.x) / tile_quads, quad = static_cast<int>(threadIdx.x) % tile_quads;
    // Rows that nothing is gathered for hold none of the bin's own protons either.
    for (int i = threadIdx.x; i < (a1 - a0) * quads; i += kWindowThreads) {
      const int a = a0 + i / quads;
      if (a < gathered_a0 || a >= gathered_a1) s.own[i] = Quad<T>{};
    }
    T escaped = T(0);
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
          const SourceView<T>& view = s.views[base + k];
          if (a < view.a0 || a >= view.a1 || x < view.x0 || x >= view.x1) continue;
          value[k] = load_quad(view.row + static_cast<long long>(a) * p.pitch + x);
          weights[k] = view.weight;
          if (!kMixed && view.weight != nullptr) weight[k] = view.weight[m[0] * t.classes + c];
        }
#pragma unroll
        for (int k = kWindowBatch - 1; k >= 0; --k) {  // the lightest first
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
      s.tile[(a - first_a) * tile_quads + quad] = sum;
      const int column = (x - x0) / 4;
      if (a < a0 || a >= a1 || x < x0 || column >= quads) continue;
      s.own[(a - a0) * quads + column] = own;
      if (a < bin_data.half || a + bin_data.half >= t.ntheta) {
        const T* lost = p.lost + static_cast<long long>(bin) * t.materials * t.ntheta + a;
        for (int j = 0; j < 4; ++j) escaped += lost[m[j] * t.ntheta] * sum.v[j];
      }
    }
    tally.v[kTallyTheta] = static_cast<double>(escaped);
  }

  /// Sums of the bin's own protons over some of the angles of a column: the first is their number (path stepping)
  /// or their dose (depth stepping), the others planes crossed, times 1, θ and θ².
  template <bool kMixed>
  __device__ void score(Tally& tally) {
    const int columns = 4 * quads;
    const int groups = kWindowThreads / columns;
    const int group = static_cast<int>(threadIdx.x) / columns;
    const int column = static_cast<int>(threadIdx.x) % columns;
    T sum[4] = {};
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
        if (kDepth && bin_data.ends != 0) {
          const int place = at(a0 + row, m);
          stopped += value * t.stopped[place];
          nuclear += value * t.nuclear[place];
          nuclear_energy += value * t.nuclear_escape[place];
        }
      }
      if (!kDepth && bin_data.ends != 0) {
        const int place = at(0, m);
        stopped = sum[0] * t.stopped[place];
        nuclear = sum[0] * t.nuclear[place];
        nuclear_energy = sum[0] * t.nuclear_escape[place];
      }
      tally.v[kTallyStopped] = static_cast<double>(stopped);
      tally.v[kTallyNuclear] = static_cast<double>(nuclear);
      tally.v[kTallyNuclearEnergy] = static_cast<double>(nuclear_energy);
    }
    for (int f = 0; f < 4; ++f) s.partial[f * kWindowThreads + threadIdx.x] = static_cast<double>(sum[f]);
  }

  __device__ void finish_scores(Tally& tally) {
    const int columns = 4 * quads;
    const int groups = kWindowThreads / columns;
    for (int i = threadIdx.x; i < 4 * columns; i += kWindowThreads) {
      const int field = i / columns;
      const int column = i - field * columns;
      double sum = 0;
      for (int g = 0; g < groups; ++g) sum += s.partial[field * kWindowThreads + g * columns + column];
      if (sum == 0.0) continue;
      if (field == (kDepth ? 1 : 0)) tally.v[kTallyNumber] += sum;
      if (field == 0) {
        if (!kDepth) sum *= static_cast<double>(t.deposit[at(0, material >= 0 ? material : material_at(x0 + column))]);
        tally.v[kTallyDeposited] += sum;
      }
      double* const to = field == 0   ? p.scores.dose
                         : field == 1 ? p.scores.current
                         : field == 2 ? p.scores.current_theta
                                      : p.scores.current_theta_theta;
      atomicAdd(to + static_cast<long long>(map_row) * t.nx + x0 + column, sum);
    }
  }

  /// Weight with which angle a, in row `row` of the tile, sends protons `d` angles away.
  template <bool kMixed>
  __device__ T weight_of(int row, int d, int m) const {
    if (!kMixed && held_weights) return kDepth ? s.weights[d * tile_rows + row] : s.weights[d];
    const int a = min(max(first_a + row, 0), t.ntheta - 1);
    return kernel[(static_cast<long long>(m) * (bin_data.half + 1) + d) * t.classes + (kDepth ? a : 0)];
  }

  /// Neighbouring angles per thread, so that each row of the tile is read once for all of them; the far parts
  /// first, so that FP32 sums lose nothing systematically.
  template <bool kMixed>
  __device__ void turn() {
    const int groups = ceil_div(a1 - a0, kWindowTurned);
    const int half = bin_data.half;
    for (int i = threadIdx.x; i < groups * tile_quads; i += kWindowThreads) {
      const int group = i / tile_quads;
      const int quad = i - group * tile_quads;
      const int row = half + group * kWindowTurned;  // of the tile
      int m[4] = {material, material, material, material};
      if (kMixed) {
        for (int j = 0; j < 4; ++j) m[j] = material_at(tile_x0 + 4 * quad + j);
      }
      const int low_reach = row + kWindowTurned - 1 - (gathered_a0 - first_a);
      const int high_reach = gathered_a1 - 1 - first_a - row;
      Quad<T> sum[kWindowTurned] = {};
      const Quad<T>* centre = s.tile + row * tile_quads + quad;
      for (int d = min(half, max(low_reach, high_reach)); d > 0; --d) {
#pragma unroll
        for (int k = 0; k < kWindowTurned; ++k) {
          const Quad<T> low = centre[(k - d) * tile_quads];
          const Quad<T> high = centre[(k + d) * tile_quads];
          if (kMixed) {
            for (int j = 0; j < 4; ++j) {
              sum[k].v[j] += weight_of<true>(row + k - d, d, m[j]) * low.v[j] +
                             weight_of<true>(row + k + d, d, m[j]) * high.v[j];
            }
          } else if (kDepth) {
            const T wl = weight_of<false>(row + k - d, d, material), wh = weight_of<false>(row + k + d, d, material);
            for (int j = 0; j < 4; ++j) sum[k].v[j] += wl * low.v[j] + wh * high.v[j];
          } else {
            const T w = weight_of<false>(0, d, material);
            for (int j = 0; j < 4; ++j) sum[k].v[j] += w * (low.v[j] + high.v[j]);
          }
        }
      }
#pragma unroll
      for (int k = 0; k < kWindowTurned; ++k) {
        if (a0 + group * kWindowTurned + k >= a1) break;
        const Quad<T> here = centre[k * tile_quads];
        for (int j = 0; j < 4; ++j) sum[k].v[j] += weight_of<kMixed>(row + k, 0, m[j]) * here.v[j];
        s.turned[(group * kWindowTurned + k) * tile_quads + quad] = sum[k];
      }
    }
  }

  __device__ static T flux(const T* donor, const T (&c)[kRemapTaps]) {
    return clamp_flux(c[0] * donor[0] + c[1] * donor[1] + c[2] * donor[2] + c[3] * donor[3] + c[4] * donor[4],
                      donor[2]);
  }

  /// Remap in x.
  __device__ void move(Tally& tally, float& lowest, float& highest) {
    Extent extent;
    T escaped = T(0);
    double written = 0;
    T* const out = (kDepth ? p.state[(step + 1) & 1] : p.state[1]) + row_start(p, bin, z);
    for (int i = threadIdx.x; i < (a1 - a0) * quads; i += kWindowThreads) {
      const int row = i / quads;
      const int x = x0 + 4 * (i - row * quads);
      const int a = a0 + row;
      const WindowAngle<T>& angle = s.angles[a];
      const int start = x - angle.whole_x - 3 - tile_x0;
      const Quad<T>* source = s.turned + row * tile_quads + start / 4;
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
      T before = flux(v, c);
      Quad<T> moved;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const T passed = flux(v + j + 1, c);
        moved.v[j] = (v[j + 3] - passed) + before;
        before = passed;
      }
      if (x < 0 || x + 3 >= t.nx) {
        for (int j = 0; j < 4; ++j) {
          if (x + j >= 0 && x + j < t.nx) continue;
          escaped += moved.v[j];
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
    tally.v[kTallyX] = static_cast<double>(escaped);
    tally.v[kTallyWritten] = written;
    if (kDepth) extent.publish(fixed.extent);
  }

  /// Adds the warp's sums to its row: halving the values with the lanes, so that each lane ends with one of them.
  __device__ void add(const Tally& tally) {
    const int lane = threadIdx.x & 31;
    double v[kTallied];
    for (int i = 0; i < kTallied; ++i) v[i] = tally.v[i];
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
    const int energy_slot = slot == kTallyNumber    ? kTallyNumberEnergy
                            : slot == kTallyTheta   ? kTallyThetaEnergy
                            : slot == kTallyX       ? kTallyXEnergy
                            : slot == kTallyWritten ? kTallyWrittenEnergy
                                                    : -1;
    if (energy_slot >= 0) sums[energy_slot] += sum * t.energy[bin];
  }

  const WindowParameters<T>& p;
  const DeviceTables<T>& t;
  Shared<T>& s;
  Fixed& fixed;
  int step;
  int bin, z, map_row, material;
  WindowBin bin_data;
  WindowBox from;
  int a0, a1, x0, quads;            // made
  int tile_x0, tile_quads;          // columns of the tile
  int first_a, tile_rows;           // angles of the tile
  int gathered_a0, gathered_a1;     // of them, those that sources hold
  bool held_weights;
  const T* feeds;
  const T* kernel;
};

}  // namespace bb::transport::window
