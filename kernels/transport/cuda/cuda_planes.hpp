#pragma once

// Parameters of the reduction of ψ to two axes on the device, so that the whole of ψ is never downloaded. Included by
// nvcc, by NVRTC and by the host, so it includes no standard header.
namespace bb::transport {

inline constexpr int kPlaneAxes = 4;  // e, θ, z, x, as in engine::Axis
inline constexpr int kPlaneRows = 8;  // warps of a block

/// Storage layout of ψ in a solver. With depth stepping z has one row, which is the plane `plane` of the map.
template <typename T>
struct DeviceState {
  const T* state[2];
  int states;           // the state after step n is state[n % states]
  const int* boxes[3];  // per energy z0, z1, a0, a1, x0, x1: cells outside do not count;
  int box_sets;         // boxes after step n are boxes[n % box_sets]; 0: every cell counts
  int box_ints;         // stride between boxes, in ints
  const int* step;      // number of steps taken; null: the same location after every step
  int sizes[kPlaneAxes];
  long long strides[kPlaneAxes];
  int plane;           // row of the map for row 0 before step 0
  int plane_per_step;  // 1 if this row advances with the steps, else 0
};

/// Axes to show, and axes over which ψ is summed. A summed axis may be restricted to one cell instead.
struct DevicePlane {
  double* sums;                   // zeroed by the caller
  long long strides[kPlaneAxes];  // strides of the shown axes in `sums`, 0 for the others
  int cut[kPlaneAxes];            // cell of a cut axis; -1: the whole axis
  int first, second;              // shown axes; `second` is x if x is shown
  int first_cells, second_cells;
};

}  // namespace bb::transport
