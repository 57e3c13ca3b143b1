#pragma once

#include "cuda_fused_plan.cuh"

// Second pass of the fused step: remap in x, then in z. A thread marches one quad of columns at one angle through the z
// rows, with five rows in registers. Neighbours in x come from the cache. There are no barriers.
namespace bb::transport::fused {

template <typename T, bool kDepth>
class Streaming {
 public:
  __device__ Streaming(const FusedParameters<T>& parameters, int at_step)
      : p(parameters), t(parameters.tables), step(at_step) {}

  __device__ void run(int bin, int index) {
    const DeviceBox from = p.from[bin];
    const int a_begin = first_angle(p, from, bin);
    const int quads = reached_quads(p, from);
    const int columns = (last_angle(p, from, bin) - a_begin) * quads;
    const int blocks = (columns + kFusedThreads - 1) / kFusedThreads;
    const int column = index % blocks * kFusedThreads + static_cast<int>(threadIdx.x);
    T escaped_x = T(0), escaped_z = T(0);
    written = 0;
    if (column < columns) {
      const int a = a_begin + column / quads;
      const int x = reached_x(p, from) + column % quads * 4;
      const int whole = t.whole_x[a];
      if (whole == 0) {
        march<0>(from, bin, a, x, whole, index / blocks, escaped_x, escaped_z);
      } else if (whole == -1) {
        march<-1>(from, bin, a, x, whole, index / blocks, escaped_x, escaped_z);
      } else {
        march<kAnyWhole>(from, bin, a, x, whole, index / blocks, escaped_x, escaped_z);
      }
    }
    __syncwarp();
    number += written;
    energy += written * t.energy[bin];
    double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
    if (__any_sync(0xffffffffu, escaped_x != T(0) || escaped_z != T(0))) {
      const int a = min(a_begin + column / quads, t.ntheta - 1);
      add_escape(static_cast<double>(escaped_x), kXLow, t.whole_x[a], bin, ledger);
      if (!kDepth) add_escape(static_cast<double>(escaped_z), kZLow, t.whole_z[a], bin, ledger);
    }
  }

  __device__ void report() {
    double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
    double* to = p.written + static_cast<unsigned long long>(step + 1) * 2;
    add_from_block(number, to);
    add_from_block(energy, to + 1);
    add_from_block(4.0 * cells, ledger + kCellsVisited);
    max_from_warp(lowest, p.scores.extremes);
    max_from_warp(highest, p.scores.extremes + 1);
  }

 private:
  static constexpr int kAnyWhole = 99;

  /// Adds protons of the warp's threads that leave along one axis to the ledger. `low` is the axis's first face; the
  /// direction of the angle decides between this face and the opposite one.
  __device__ void add_escape(double number, Face low, int whole, int bin, double* ledger) const {
    for (int end = low; end < low + 2; ++end) {
      const double through = face_ahead(low, whole) == end ? number : 0.0;
      add_from_warp(through, ledger + escaped_column(end));
      add_from_warp(through * t.energy[bin], ledger + escaped_energy_column(end));
    }
  }

  /// Loads one row before the remap: donors x - whole - 3 … x - whole + 5.
  template <int kWhole>
  __device__ void load(const T* row, const DeviceBox& from, int x, int whole, T (&donor)[kQuadDonors]) const {
    if constexpr (kWhole == kAnyWhole) {
      for (int k = 0; k < kQuadDonors; ++k) {
        const int at = x - whole - 3 + k;
        donor[k] = at >= from.x0 && at < from.x1 ? row[at] : T(0);
      }
    } else {
      Quad<T> v[3];
      for (int q = 0; q < 3; ++q) {
        const int at = x + 4 * (q - 1);
        v[q] = at >= from.x0 && at < from.x1 ? *reinterpret_cast<const Quad<T>*>(row + at) : Quad<T>{};
      }
      for (int k = 0; k < kQuadDonors; ++k) donor[k] = v[(k + 1 - kWhole) / 4].v[(k + 1 - kWhole) % 4];
    }
  }

  template <int kWhole>
  __device__ void march(const DeviceBox& from, int bin, int a, int x, int whole_x, int chunk, T& escaped_x,
                        T& escaped_z) {
    T cx[kRemapTaps], cz[kRemapTaps];
    for (int m = 0; m < kRemapTaps; ++m) {
      cx[m] = t.flux_x[a * kRemapTaps + m];
      cz[m] = t.flux_z[a * kRemapTaps + m];
    }
    const unsigned long long start = row_start(p, bin, 0) + static_cast<unsigned long long>(a) * p.pitch;
    const T* source = p.turned + start;
    T* out = p.state + start + x;
    const int stride = t.ntheta * p.pitch;
    const bool stored = x >= 0 && x < t.nx;
    const bool edge = x < 0 || x + 3 >= t.nx;
    const int first_donor = x - whole_x - 3;
    const bool behind = reads_behind(first_donor, t.nx, whole_x);
    const auto remap_x = [&](T(&donor)[kQuadDonors]) {
      return behind ? remap_quad_behind(donor, cx, first_donor, t.nx, whole_x) : remap_quad(donor, cx);
    };
    if constexpr (kDepth) {
      T donor[kQuadDonors];
      load<kWhole>(source, from, x, whole_x, donor);
      Quad<T> moved = remap_x(donor);
      if (edge) leave_x(moved, x, true, escaped_x);
      if (stored) put(out, moved);
      return;
    }
    const int whole = t.whole_z[a];
    const int z_end = from.z1 + p.whole_z_max + 1;
    const int first = from.z0 + p.whole_z_min + chunk * p.chunk;  // first output row of this item
    const int last = min(first + p.chunk, z_end);
    // Donor cells whose losses in x this work item counts; other items read the same cells.
    const int own0 = first == from.z0 + p.whole_z_min ? -(1 << 30) : first - whole;
    const int own1 = last == z_end ? 1 << 30 : last - whole;
    Quad<T> m2 = {}, m1 = {}, content = {}, p1 = {}, before = {};
    T next[kQuadDonors];
    int z = first - whole - 3;
    const int z_last = last - whole + 1;
    source += static_cast<long long>(z) * stride;
    const auto fetch = [&](int row) {
      if (row >= from.z0 && row < from.z1) {
        load<kWhole>(source, from, x, whole_x, next);
      } else {
        for (int k = 0; k < kQuadDonors; ++k) next[k] = T(0);
      }
      source += stride;
    };
    fetch(z);
    int to = z - kRemapReach + whole;
    out += static_cast<long long>(to) * stride;
    for (; z <= z_last; ++z, ++to, out += stride) {
      Quad<T> moved = remap_x(next);
      fetch(z + 1);
      if (edge) leave_x(moved, x, z >= own0 && z < own1, escaped_x);
      Quad<T> value;
      for (int j = 0; j < 4; ++j) {
        const T g = cz[0] * m2.v[j] + cz[1] * m1.v[j] + cz[2] * content.v[j] + cz[3] * p1.v[j] + cz[4] * moved.v[j];
        const T passed = clamp_flux(g, content.v[j]);
        value.v[j] = (content.v[j] - passed) + before.v[j];
        before.v[j] = passed;
      }
      m2 = m1;
      m1 = content;
      content = p1;
      p1 = moved;
      if (to < first || !stored) continue;
      if (to < 0 || to >= t.nz) {
        for (int j = 0; j < 4; ++j) escaped_z += value.v[j];
      } else {
        put(out, value);
      }
    }
  }

  __device__ void leave_x(Quad<T>& moved, int x, bool counts, T& escaped_x) const {
    for (int j = 0; j < 4; ++j) {
      if (x + j >= 0 && x + j < t.nx) continue;
      if (counts) escaped_x += moved.v[j];
      moved.v[j] = T(0);
    }
  }

  __device__ void put(T* to, const Quad<T>& value) {
    *reinterpret_cast<Quad<T>*>(to) = value;
    const T high = max(max(value.v[0], value.v[1]), max(value.v[2], value.v[3]));
    const T low = min(min(value.v[0], value.v[1]), min(value.v[2], value.v[3]));
    written += static_cast<double>((value.v[0] + value.v[1]) + (value.v[2] + value.v[3]));
    highest = max(highest, static_cast<float>(high));
    lowest = max(lowest, -static_cast<float>(low));
    ++cells;
  }

  const FusedParameters<T>& p;
  const DeviceTables<T>& t;
  int step;
  double written = 0;  // sum over the item
  float lowest = 0, highest = 0;
  double number = 0, energy = 0;
  int cells = 0;  // quads
};

/// Returns true in all threads of the block that is the last to finish the step.
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

template <typename T, bool kDepth>
__device__ void stream(const FusedParameters<T>& p, int step) {
  const int items = p.stream_begin[p.tables.ne];
  if (static_cast<int>(blockIdx.x) < items) {
    Streaming<T, kDepth> work(p, step);
    for (int item = blockIdx.x; item < items; item += gridDim.x) {
      const int bin = bin_of_item(p.stream_begin, p.tables.ne, item);
      work.run(bin, item - p.stream_begin[bin]);
    }
    work.report();
  }
  if (last_block(p)) finish_step<T, kDepth>(p, step);
}

}  // namespace bb::transport::fused
