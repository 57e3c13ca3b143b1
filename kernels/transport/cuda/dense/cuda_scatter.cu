#include "cuda_scatter.cuh"

// Same structure as the earlier CuPy kernels: three launches per step, one thread per source cell, and one atomic
// addition for each target cell. Outputs are cleared before each launch. Dose and losses are added atomically too, cell
// by cell.
namespace bb::transport {

__device__ inline ScatterCell scatter_cell(const DeviceStep<float>& s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  return {static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y), i, i < field_cells(s)};
}

__device__ inline void add_if_any(double* to, double value) {
  if (value != 0.0) atomicAdd(to, value);
}

/// Adds the protons of one thread that leave through a face to a ledger row.
__device__ inline void add_escape(double* row, Face face, double number, double energy_each) {
  add_if_any(row + escaped_column(face), number);
  add_if_any(row + escaped_energy_column(face), number * energy_each);
}

/// Sums content in flight and the energy that the step will deposit over the grid. This reduction precedes the three
/// launches. blockIdx.y is the energy bin.
extern "C" __global__ void __launch_bounds__(kScatterThreads)
    scatter_totals_f32(const __grid_constant__ DeviceStep<float> s) {
  if (run_is_over(s)) return;
  const DeviceTables<float>& t = s.tables;
  const int e = blockIdx.y;
  const int cells = field_cells(s);
  double number = 0.0, deposited = 0.0;
  float low = 0.0f, high = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (int a = 0; a < t.ntheta; ++a) {
      const float p = s.from[field_offset(s, e, a) + i];
      sum += p;
      low = fmaxf(low, -p);
      high = fmaxf(high, p);
    }
    number += static_cast<double>(sum);
    deposited += static_cast<double>(sum) * static_cast<double>(t.deposit[table_row(t, 0, material_of(s, i), e)]);
  }
  double* row = ledger_row(s.scores, s.step);
  double sums[2] = {number, deposited};
  block_sums(sums);
  if (threadIdx.x == 0 && sums[0] != 0.0) {
    atomicAdd(row + kInFlight, sums[0]);
    atomicAdd(row + kEnergyInFlight, sums[0] * t.energy[e]);
    atomicAdd(row + kDeposited, sums[1]);
  }
  low = warp_max(low);
  high = warp_max(high);
  if (threadIdx.x % 32 == 0) {
    atomic_max(s.scores.extremes, low);
    atomic_max(s.scores.extremes + 1, high);
  }
}

extern "C" __global__ void __launch_bounds__(kScatterThreads)
    scatter_slow_down_f32(const __grid_constant__ DeviceStep<float> s, DeviceSourceTaps taps) {
  if (run_is_over(s)) return;
  const DeviceTables<float>& t = s.tables;
  const ScatterCell cell = scatter_cell(s);
  if (!cell.inside) return;
  const float p = s.from[field_offset(s, cell.e, cell.a) + cell.i];
  if (p == 0.0f) return;
  const int row = table_row(t, 0, material_of(s, cell.i), cell.e);
  scatter_energies(s, taps, cell, row, p);

  const float crossed = p * t.plane_weight[cell.a];
  const float theta = t.theta[cell.a];
  atomicAdd(s.scores.dose + cell.i, static_cast<double>(p * t.deposit[row]));
  atomicAdd(s.scores.current + cell.i, static_cast<double>(crossed));
  atomicAdd(s.scores.current_theta + cell.i, static_cast<double>(crossed * theta));
  atomicAdd(s.scores.current_theta_theta + cell.i, static_cast<double>(crossed * theta * theta));
  double* ledger = ledger_row(s.scores, s.step);
  add_if_any(ledger + kStopped, static_cast<double>(p * t.stopped[row]));
  add_if_any(ledger + kNuclear, static_cast<double>(p * t.nuclear[row]));
  add_if_any(ledger + kEnergyNuclear, static_cast<double>(p * t.nuclear_escape[row]));
}

extern "C" __global__ void __launch_bounds__(kScatterThreads)
    scatter_angles_f32(const __grid_constant__ DeviceStep<float> s) {
  if (run_is_over(s)) return;
  const ScatterCell cell = scatter_cell(s);
  if (!cell.inside) return;
  const float p = s.from[field_offset(s, cell.e, cell.a) + cell.i];
  if (p == 0.0f) return;
  const AngleLoss lost = scatter_to_angles(s, cell, p);
  add_escape(ledger_row(s.scores, s.step), kThetaLow, lost.low, s.tables.energy[cell.e]);
  add_escape(ledger_row(s.scores, s.step), kThetaHigh, lost.high, s.tables.energy[cell.e]);
}

extern "C" __global__ void __launch_bounds__(kScatterThreads)
    scatter_stream_f32(const __grid_constant__ DeviceStep<float> s) {
  if (run_is_over(s)) return;
  const ScatterCell cell = scatter_cell(s);
  if (!cell.inside) return;
  const StreamLoss lost = scatter_stream_cell(s, cell);
  const double energy = s.tables.energy[cell.e];
  double* ledger = ledger_row(s.scores, s.step);
  add_escape(ledger, face_ahead(kXLow, s.tables.whole_x[cell.a]), lost.x, energy);
  add_escape(ledger, face_ahead(kZLow, s.tables.whole_z[cell.a]), lost.z, energy);
}

}  // namespace bb::transport
