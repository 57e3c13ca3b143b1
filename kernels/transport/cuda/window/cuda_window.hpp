#pragma once

#include "tuning/tunable.hpp"

#include "transport/model/device_tables.hpp"

// Data of the moving window (the part of the grid that contains protons) on the GPU. One cooperative kernel takes many
// steps; between the passes of a step its blocks wait for each other. One warp of every block, the planner, partitions
// the work of the next step while the workers compute the current one. It uses the current boxes and the reach of
// protons. Once the boxes of the next step are known, the planner only clips its block's items to them. Included by
// nvcc, by NVRTC and by the host, so it includes no standard header.
namespace bb::transport {

inline constexpr int kWindowWorkers = 480;                  // threads of a block that compute
inline constexpr int kWindowThreads = kWindowWorkers + 32;  // all threads of a block, including the planning warp
BB_TUNABLE(int, kWindowTurned, 3);                          // neighbouring angles that a thread convolves together
BB_TUNABLE(int, kWindowRows, 4);                            // z rows that a thread of the second pass computes
inline constexpr int kWindowBatch = 4;                      // sources whose loads are issued together
inline constexpr int kWindowTallies = 20;                   // number of sums over a step; see WindowTally

/// Half-open bounds of the non-zero content of a bin. Columns are in whole quads (x1 may lie in a row's padding, which
/// is zero). Empty if a0 >= a1.
struct alignas(16) WindowBox {
  int z0, z1, a0, a1, x0, x1;
  int unused[2];
};

/// Constants of a bin.
struct WindowBin {
  int feed_low, feed_count;  // range of neighbouring source bins
  int feed_at;               // start of the list of sources in `feed_bin`, heaviest first
  int feed_weight_at;        // start of their weights in `feed_weight`, [source in list order][material][class]
  int half;                  // half width of the widest angle kernel over materials and classes
  int kernel_at;             // start of the kernels in `kernel_weight`, [material][distance 0 … half][class]
  int ends;                  // 1: protons stop or react in this bin
  // Range of bins from which protons can reach this bin in two steps, and the maximum change of their angle index.
  int wide_low, wide_count, wide_half;
  int unused[2];
};

/// Constants of an angle.
template <typename T>
struct WindowAngle {
  T flux_x[5], flux_z[5];
  T theta, plane_weight;
  int whole_x, whole_z;
};

/// A source bin of an item (a unit of work of a block): its box in the item's z row.
template <typename T>
struct WindowSource {
  const T* row;  // row start, at angle 0 and column 0
  const T* weight;
  int a0, a1, x0, x1;
  int bin, unused;
};

struct WindowControl {
  int step;          // steps done
  int limit;         // number of steps to take
  unsigned arrived;  // arrivals of blocks at waits since the launch
};

/// Offsets in a block's shared memory, in bytes, and capacities.
struct WindowLayout {
  int boxes, bins, feeds, plans, begins, angles, rows, views, sums, partial, own, tile, turned, deposits, weights;
  int bytes;
  int feeds_held;    // 1: the lists of source bins are in shared memory
  int most_angles;   // maximum angles per item
  int most_quads;    // maximum quads of columns per item
  int most_weights;  // maximum angle-kernel weights in shared memory
  int most_views;    // maximum sources per item
};

template <typename T>
struct WindowParameters {
  DeviceTables<T> tables;
  DeviceScores scores;
  /// [bin][z][angle][x]. Path stepping: the state, and its content between the passes. Depth stepping: the state before
  /// even and before odd steps.
  T* state[2];
  WindowBox* bounds[3];  // [ne] box of each bin before step n: bounds[n % 3]
  WindowControl* control;
  const WindowBin* bins;
  const WindowAngle<T>* angles;
  const short* row_material;  // [nz], -1 for a row of several materials
  const int* feed_bin;
  const T* feed_weight;
  const T* kernel_weight;
  const T* lost;    // [end][ne][material][angle] share that scattering sends from an angle off the grid
  double* written;  // [steps + 1][2] protons and MeV in the state before a step, including cut edges
  WindowLayout layout;
  int feeds;                                               // length of `feed_bin`
  int rows;                                                // stored z rows; 1 with depth stepping
  int row_mask;                                            // row z is stored at z & row_mask, either all rows or a ring
  int pitch;                                               // stored columns per row
  int start_z;                                             // depth stepping: plane of step 0
  int whole_x_min, whole_x_max, whole_z_min, whole_z_max;  // range over all angles
  T threshold;                                             // cells below this value do not widen the bounds
  double stop_number;                                      // the run is over at this number of protons in flight
};

/// Start of one of several beams, as a product of three factors: protons by bin from `first_bin` on, shares by angle
/// from a0 on, and shares by angle and column from x0 on. These lists start at the following offsets in `values` of
/// WindowBeams.
struct WindowStart {
  int first_bin, bins, a0, a1, x0, x1;
  int bins_at, angles_at, columns_at;
  int unused;
  double number;  // protons
};

/// Several beams that share tables. A team of blocks completes one beam, then starts another. A place is the storage
/// for the state of one beam at a time.
template <typename T>
struct WindowBeams {
  const WindowStart* starts;  // [beam]
  const double* values;
  T* states;                // [place][2][bin][z][angle][x]
  WindowBox* boxes;         // [place][3][ne]
  WindowControl* controls;  // [place]
  double* written;          // [place][steps + 1][2]
  int* taken;               // [place] 1: in use by a running block; null: each team has its own place
  int places;
  double* fields;         // [4][beam][z][x]: dose and the three currents; initially zero
  double* ledgers;        // [beam][steps + 1][kLedgerColumns] (last row: in flight at the end); initially zero
  float* extremes;        // [beam][2]; initially zero
  long long state_cells;  // cells of one state
  int beams, team;        // team: blocks per team
  int steps;              // maximum number of steps
  double threshold;       // cell threshold per proton of a beam
  double stop_share;      // stop_number per proton of a beam
};

}  // namespace bb::transport
