#pragma once

#include "physics/remap.hpp"
#include "transport/model/device_tables.hpp"

// Helpers shared by the kernels of all CUDA variants: positions of cells and table rows, and sums over warps and
// blocks.
namespace bb::transport {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

/// Number of cells in one (e, θ) field.
template <typename T>
__device__ inline int field_cells(const DeviceStep<T>& s) {
  return s.rows * s.tables.nx;
}

/// Offset of field (e, a).
template <typename T>
__device__ inline long long field_offset(const DeviceStep<T>& s, int e, int a) {
  return (static_cast<long long>(e) * s.tables.ntheta + a) * field_cells(s);
}

/// Material of cell `i` of a field.
template <typename T>
__device__ inline int material_of(const DeviceStep<T>& s, int i) {
  return s.tables.map[s.plane * s.tables.nx + i];
}

template <typename T>
__device__ inline int step_class(const DeviceTables<T>& t, int a) {
  return t.depth ? a : 0;
}

template <typename T>
__device__ inline int table_row(const DeviceTables<T>& t, int step_class, int material, int e) {
  return ((t.depth ? t.path_of[step_class] : 0) * t.materials + material) * t.ne + e;
}

__device__ inline double* ledger_row(const DeviceScores& scores, int step) {
  return scores.ledger + static_cast<long long>(step) * kLedgerColumns;
}

/// Whether at most `stop_number` protons are in flight before step `step`: the protons at the start of the previous
/// step minus its losses. Every kernel of a step checks this first, so that a queued batch of steps ends without the
/// host. The host reads the same row and comes to the same result.
__device__ inline bool run_is_over(const DeviceScores& scores, int step, double stop_number) {
  if (step == 0) return false;
  return in_flight_after(ledger_row(scores, step - 1)) <= stop_number;
}

template <typename T>
__device__ inline bool run_is_over(const DeviceStep<T>& s) {
  return run_is_over(s.scores, s.step, s.stop_number);
}

__device__ inline double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kWholeWarp, value, offset);
  return value;
}

__device__ inline float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_down_sync(kWholeWarp, value, offset));
  return value;
}

/// Sums `values` over the block's threads into thread 0. Every thread of the block must call this.
template <int kCount>
__device__ inline void block_sums(double (&values)[kCount]) {
  __shared__ double parts[kCount][32];
  const int thread = threadIdx.x + threadIdx.y * blockDim.x;
  const int warps = static_cast<int>(blockDim.x * blockDim.y + 31) / 32;
  for (double& value : values) value = warp_sum(value);
  __syncthreads();  // waits until the parts of an earlier sum have been read
  if (thread % 32 == 0) {
    for (int n = 0; n < kCount; ++n) parts[n][thread / 32] = values[n];
  }
  __syncthreads();
  if (thread >= 32) return;
  for (int n = 0; n < kCount; ++n) values[n] = warp_sum(thread < warps ? parts[n][thread] : 0.0);
}

/// Adds `number` and `energy` of the block's threads to two columns of a ledger row. One atomic per block and column;
/// none if the sum is 0. Every thread of the block must call this.
__device__ inline void block_add(double* row, LedgerColumn number_column, double number, LedgerColumn energy_column,
                                 double energy) {
  if (__syncthreads_or(number != 0.0) == 0) return;
  double sums[2] = {number, energy};
  block_sums(sums);
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  atomicAdd(row + number_column, sums[0]);
  atomicAdd(row + energy_column, sums[1]);
}

/// Protons that leave the grid at low and at high angles.
struct AngleLoss {
  double low = 0.0, high = 0.0;
};

/// Adds protons that leave through a face, summed over the block's threads, to a ledger row. All have the same energy.
__device__ inline void block_escape(double* row, Face face, double number, double energy_each) {
  block_add(row, escaped_column(face), number, escaped_energy_column(face), number * energy_each);
}

/// Adds the losses at both ends of the angles to a ledger row. If nothing is lost, the cost is one vote.
__device__ inline void block_escape(double* row, const AngleLoss& lost, double energy_each) {
  if (__syncthreads_or(lost.low != 0.0 || lost.high != 0.0) == 0) return;
  block_escape(row, kThetaLow, lost.low, energy_each);
  block_escape(row, kThetaHigh, lost.high, energy_each);
}

/// Records `number` protons of bin e that react in row z of the map, at x.
__device__ inline void record_reactions(const DeviceReactions& r, int e, int z, int x, double number) {
  double* low = r.number + (static_cast<long long>(r.plane_of[z]) * r.bins + r.bin[e]) * r.columns + x / r.cells;
  const double upper = r.upper[e] * number;
  atomicAdd(low, number - upper);
  atomicAdd(low + r.columns, upper);
}

/// Adds `protons` of bin e to the moments of tracks in cell (z, x) of material m. `protons` are weighted by path length
/// relative to the beam's.
template <typename T>
__device__ inline void record_tracks(const DeviceTracks<T>& to, const DeviceTables<T>& t, int e, int m, int z, int x,
                                     double protons) {
  const long long plane = static_cast<long long>(t.nz) * t.nx, cell = static_cast<long long>(z) * t.nx + x;
  const int row = m * t.ne + e, rows = t.materials * t.ne;
  const double length = protons * to.moment[row];
  atomicAdd(to.scored + cell, length);
  atomicAdd(to.scored + plane + cell, protons * to.moment[rows + row]);
  atomicAdd(to.scored + 2 * plane + cell, protons * to.moment[2 * rows + row]);
  if (to.spectrum[z] >= 0) atomicAdd(to.scored + to.spectrum[z] + e, length);
}

/// Sets `*extreme` to `value` if that is larger; both are >= 0.
__device__ inline void atomic_max(float* extreme, float value) {
  if (value > *extreme) atomicMax(reinterpret_cast<unsigned*>(extreme), __float_as_uint(value));
}

/// Content of cell `at` of a row after the remap by `whole` cells with the flux weights `c`. The row has `n` cells,
/// `stride` apart, from `p` on. Content that the donor at `at` sends out of the row is added to `lost`. If kOpen, cells
/// beyond the ends are read as in remap_neighbour; otherwise they are zero. A donor never lies beyond the end through
/// which the row moves out, because its content would not reach `at`.
template <bool kOpen, typename T>
__device__ inline T remap_cell(const T* p, int at, int n, int stride, int whole, const T* c, double& lost) {
  const auto cell = [&](int j) {
    const int i = kOpen ? physics::remap_neighbour(j, n, whole) : j;
    return i < 0 || i >= n ? T(0) : p[static_cast<long long>(i) * stride];
  };
  const int donor = at - whole;
  T v[6];
#pragma unroll
  for (int m = 0; m < 6; ++m) v[m] = cell(donor - 3 + m);
  const T arrives = physics::remap_flux(v[0], v[1], v[2], v[3], v[4], c);
  const T stays = v[3] - physics::remap_flux(v[1], v[2], v[3], v[4], v[5], c);
  if (at + whole < 0 || at + whole + 1 >= n) {
    const T own = cell(at);
    const T moved = physics::remap_flux(cell(at - 2), cell(at - 1), own, cell(at + 1), cell(at + 2), c);
    if (at + whole < 0 || at + whole >= n) lost += static_cast<double>(own - moved);
    if (at + whole + 1 < 0 || at + whole + 1 >= n) lost += static_cast<double>(moved);
  }
  return stays + arrives;
}

/// Adds the part of `protons` at angle `a` that an angle kernel (weights w[0] … w[half]) scatters off the grid.
template <typename T>
__device__ inline void lose_angles(const T* w, int half, int a, int ntheta, T protons, AngleLoss& lost) {
  T below = 0, above = 0;
  for (int k = half; k > a; --k) below += w[k];
  for (int k = half; k >= ntheta - a; --k) above += w[k];
  lost.low += static_cast<double>(protons * below);
  lost.high += static_cast<double>(protons * above);
}

/// Defines a kernel in both precisions, as <name>_f32 and <name>_f64; its argument is a DeviceStep.
#define BB_STEP_KERNEL(name, threads)                                                                              \
  extern "C" __global__ void __launch_bounds__(threads) name##_f32(const __grid_constant__ DeviceStep<float> s) {  \
    name(s);                                                                                                       \
  }                                                                                                                \
  extern "C" __global__ void __launch_bounds__(threads) name##_f64(const __grid_constant__ DeviceStep<double> s) { \
    name(s);                                                                                                       \
  }

}  // namespace bb::transport
