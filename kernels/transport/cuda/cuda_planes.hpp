#pragma once

// ψ reduced to two axes on the device, as data: it never leaves the device whole. Included by nvcc, by NVRTC and by
// the host; no standard header.
namespace bb::transport {

inline constexpr int kPlaneAxes = 4;  // e, θ, z, x, as engine::Axis
inline constexpr int kPlaneRows = 8;  // warps of a block

/// Storage of ψ in a solver. With depth stepping z has one row, which is the plane `plane` of the map.
template <typename T>
struct DeviceState {
  const T* state[2];
  int states;           // after step n the state is state[n % states]
  const int* boxes[3];  // of each energy, as z0, z1, a0, a1, x0, x1: outside lies nothing that counts;
  int box_sets;         // after step n boxes[n % box_sets]; 0: everything counts
  int box_ints;         // from one box to the next
  const int* step;      // steps taken; null: the same place after every step
  int sizes[kPlaneAxes];
  long long strides[kPlaneAxes];
  int plane;           // row of the map that row 0 lies in before step 0,
  int plane_per_step;  // and 1 where it moves with the steps
};

/// Sums over the axes that are not shown, or one of their cells.
struct DevicePlane {
  double* sums;                   // zero before
  long long strides[kPlaneAxes];  // of the shown axes in `sums`, 0 of the others
  int cut[kPlaneAxes];            // -1: the whole axis
  int first, second;              // shown; `second` is x where x is shown
  int first_cells, second_cells;
};

}  // namespace bb::transport
