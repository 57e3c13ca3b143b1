#include "cuda_scatter.cuh"

// `cuda-scatter` with fewer atomics where many threads add to one cell: dose and crossings are summed over 32 angles
// and losses over a warp, by shuffles. ψ itself is scattered as in `cuda-scatter`.
//
// The threads of a warp have neighbouring x, which add to different cells of the dose. So a block processes 32 x and 32
// angles and transposes the values in shared memory; then a warp has all angles of one x.
namespace bb::transport {

/// The cell of a thread, in blocks of 32 cells × 32 angles.
__device__ inline ScatterCell tile_cell(const DeviceStep<float>& s) {
  const int i = blockIdx.x * kWarpTile + threadIdx.x;
  const int a = blockIdx.y * kWarpTile + threadIdx.y;
  return {static_cast<int>(blockIdx.z), a, i, i < field_cells(s) && a < s.tables.ntheta};
}

/// Adds a warp's values to `to` with one atomic, or none if the sum is 0.
__device__ inline void warp_add(double* to, double value) {
  if (!__any_sync(kWholeWarp, value != 0.0)) return;
  const double sum = warp_sum(value);
  if (threadIdx.x == 0) atomicAdd(to, sum);
}

/// Adds the protons of a warp that leave through a face to a ledger row.
__device__ inline void warp_escape(double* row, Face face, double number, double energy_each) {
  warp_add(row + escaped_column(face), number);
  warp_add(row + escaped_energy_column(face), number * energy_each);
}

/// Sums the values [angle][cell] of the block over angles and adds the sums to `to` [cell].
__device__ inline void add_over_angles(float value, float (&tile)[kWarpTile][kWarpTile + 1], double* to, int cells) {
  __syncthreads();  // earlier values of the tile have been read
  tile[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  const double sum = warp_sum(static_cast<double>(tile[threadIdx.x][threadIdx.y]));
  const int i = blockIdx.x * kWarpTile + threadIdx.y;
  if (threadIdx.x == 0 && i < cells && sum != 0.0) atomicAdd(to + i, sum);
}

extern "C" __global__ void __launch_bounds__(kWarpTile* kWarpTile)
    warp_reduced_slow_down_f32(const __grid_constant__ DeviceStep<float> s, DeviceSourceTaps taps) {
  if (run_is_over(s)) return;
  const DeviceTables<float>& t = s.tables;
  const ScatterCell cell = tile_cell(s);
  const float p = cell.inside ? s.from[field_offset(s, cell.e, cell.a) + cell.i] : 0.0f;
  float dose = 0.0f, crossed = 0.0f, theta = 0.0f, stopped = 0.0f, nuclear = 0.0f, nuclear_energy = 0.0f;
  if (p != 0.0f) {
    const int row = table_row(t, 0, material_of(s, cell.i), cell.e);
    scatter_energies(s, taps, cell, row, p);
    dose = p * t.deposit[row];
    crossed = p * t.plane_weight[cell.a];
    theta = t.theta[cell.a];
    stopped = p * t.stopped[row];
    nuclear = p * t.nuclear[row];
    nuclear_energy = p * t.nuclear_escape[row];
  }
  __shared__ float tile[kWarpTile][kWarpTile + 1];
  if (__syncthreads_or(p != 0.0f) == 0) return;
  const int cells = field_cells(s);
  add_over_angles(dose, tile, s.scores.dose, cells);
  add_over_angles(crossed, tile, s.scores.current, cells);
  add_over_angles(crossed * theta, tile, s.scores.current_theta, cells);
  add_over_angles(crossed * theta * theta, tile, s.scores.current_theta_theta, cells);
  double* ledger = ledger_row(s.scores, s.step);
  warp_add(ledger + kStopped, static_cast<double>(stopped));
  warp_add(ledger + kNuclear, static_cast<double>(nuclear));
  warp_add(ledger + kEnergyNuclear, static_cast<double>(nuclear_energy));
}

extern "C" __global__ void __launch_bounds__(kWarpTile* kWarpTile)
    warp_reduced_angles_f32(const __grid_constant__ DeviceStep<float> s) {
  if (run_is_over(s)) return;
  const ScatterCell cell = tile_cell(s);
  const float p = cell.inside ? s.from[field_offset(s, cell.e, cell.a) + cell.i] : 0.0f;
  const AngleLoss lost = p != 0.0f ? scatter_to_angles(s, cell, p) : AngleLoss{};
  warp_escape(ledger_row(s.scores, s.step), kThetaLow, lost.low, s.tables.energy[cell.e]);
  warp_escape(ledger_row(s.scores, s.step), kThetaHigh, lost.high, s.tables.energy[cell.e]);
}

extern "C" __global__ void __launch_bounds__(kWarpTile* kWarpTile)
    warp_reduced_stream_f32(const __grid_constant__ DeviceStep<float> s) {
  if (run_is_over(s)) return;
  const ScatterCell cell = tile_cell(s);
  const StreamLoss lost = cell.inside ? scatter_stream_cell(s, cell) : StreamLoss{};
  const double energy = s.tables.energy[cell.e];
  double* ledger = ledger_row(s.scores, s.step);
  // All cells of a warp have the same angle.
  const int a = min(cell.a, s.tables.ntheta - 1);
  warp_escape(ledger, face_ahead(kXLow, s.tables.whole_x[a]), lost.x, energy);
  warp_escape(ledger, face_ahead(kZLow, s.tables.whole_z[a]), lost.z, energy);
}

}  // namespace bb::transport
