#pragma once

#include "cuda_scatter.hpp"
#include "transport/cuda/cuda_common.cuh"

// Helpers shared by the scatter variants, in which each thread processes one source cell and adds its protons to target
// cells. The variants differ in how they score.
namespace bb::transport {

/// The cell of a thread. blockIdx.y is the angle and blockIdx.z the energy bin.
struct ScatterCell {
  int e, a, i;
  bool inside;
};

/// Adds the protons `p` of a cell to their energy bins after the step.
__device__ inline void scatter_energies(const DeviceStep<float>& s, const DeviceSourceTaps& taps, ScatterCell cell,
                                        int row, float p) {
  for (int k = taps.begin[row]; k < taps.begin[row + 1]; ++k) {
    atomicAdd(s.to + field_offset(s, taps.destination[k], cell.a) + cell.i, p * taps.weight[k]);
  }
}

/// Adds the protons `p` of a cell to the angles into which they scatter. Returns those that leave the grid.
__device__ inline AngleLoss scatter_to_angles(const DeviceStep<float>& s, ScatterCell cell, float p) {
  const DeviceTables<float>& t = s.tables;
  const int row = table_row(t, 0, material_of(s, cell.i), cell.e);
  const float* w = t.angle_weight + t.angle_begin[row];
  const int half = t.angle_begin[row + 1] - t.angle_begin[row] - 1;
  AngleLoss lost;
  const auto put = [&](int a, float part) {
    if (a < 0 || a >= t.ntheta) {
      (a < 0 ? lost.low : lost.high) += static_cast<double>(part);
    } else {
      atomicAdd(s.to + field_offset(s, cell.e, a) + cell.i, part);
    }
  };
  for (int k = half; k > 0; --k) {  // small terms first, as far as threads run in lockstep, to reduce rounding errors
    put(cell.a - k, p * w[k]);
    put(cell.a + k, p * w[k]);
  }
  put(cell.a, p * w[0]);
  return lost;
}

struct StreamLoss {
  double x = 0.0, z = 0.0;
};

/// Streams in x, then z, in one launch. A thread computes the content of its cell after the remap in x. It also
/// computes two rows above and below, which the flux in z needs. Then it adds the content to two rows. The flux limiter
/// makes the remaps non-linear, so they cannot be merged. Returns the cell's protons that leave through the faces in x,
/// and content that leaves in z.
__device__ inline StreamLoss scatter_stream_cell(const DeviceStep<float>& s, ScatterCell cell) {
  const DeviceTables<float>& t = s.tables;
  const float* field = s.from + field_offset(s, cell.e, cell.a);
  const int z = cell.i / t.nx;
  const int x = cell.i - z * t.nx;
  const float* cx = t.flux_x + cell.a * physics::kRemapTaps;
  StreamLoss lost;
  const float content = remap_cell<true>(field + z * t.nx, x, t.nx, 1, t.whole_x[cell.a], cx, lost.x);
  if (content == 0.0f) return lost;

  double ignored = 0.0;  // counted by other threads
  const auto after_x = [&](int row) {
    if (row < 0 || row >= t.nz) return 0.0f;
    return remap_cell<true>(field + row * t.nx, x, t.nx, 1, t.whole_x[cell.a], cx, ignored);
  };
  const float moved = physics::remap_flux(after_x(z - 2), after_x(z - 1), content, after_x(z + 1), after_x(z + 2),
                                          t.flux_z + cell.a * physics::kRemapTaps);
  const auto put = [&](int row, float part) {
    if (row < 0 || row >= t.nz) {
      lost.z += static_cast<double>(part);
    } else {
      atomicAdd(s.to + field_offset(s, cell.e, cell.a) + row * t.nx + x, part);
    }
  };
  put(z + t.whole_z[cell.a], content - moved);
  put(z + t.whole_z[cell.a] + 1, moved);
  return lost;
}

}  // namespace bb::transport
