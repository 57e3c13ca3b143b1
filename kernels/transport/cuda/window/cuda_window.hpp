#pragma once

#include "tuning/tunable.hpp"

#include "transport/model/device_tables.hpp"

// The moving window on the GPU, as data. One cooperative kernel takes many steps; between the passes of a step its
// blocks wait for each other. One warp of every block cuts the work of the next step while the others are still at
// this one; from the boxes of this one and how far protons can come; when the boxes of the next step are there, it
// only clips its block's items to them. Included by nvcc, by NVRTC and by the host; no standard header.
namespace bb::transport {

inline constexpr int kWindowWorkers = 480;                  // threads of a block that compute,
inline constexpr int kWindowThreads = kWindowWorkers + 32;  // and one warp that plans ahead of them
BB_TUNABLE(int, kWindowTurned, 3);                          // neighbouring angles that a thread turns together
BB_TUNABLE(int, kWindowRows, 4);                            // z rows that a thread of the second pass makes
inline constexpr int kWindowBatch = 4;                      // sources whose loads are in flight together
inline constexpr int kWindowTallies = 20;                   // sums over a step; WindowTally

/// Half-open bounds of what a bin holds, columns in whole quads (x1 may lie in a row's padding, which is zero);
/// empty when a0 >= a1.
struct alignas(16) WindowBox {
  int z0, z1, a0, a1, x0, x1;
  int unused[2];
};

/// Constants of a bin.
struct WindowBin {
  int feed_low, feed_count;  // it is fed from these neighbours
  int feed_at;               // where the list of them begins, heaviest first, in `feed_bin`
  int feed_weight_at;        // and their weights, [source as listed][material][class], in `feed_weight`
  int half;                  // widest angle kernel over materials and classes
  int kernel_at;             // where its kernels begin, [material][distance 0 … half][class], in `kernel_weight`
  int ends;                  // 1: protons stop or react here
  // Two steps before, what it is fed with lies in these neighbours, and comes from so many angles away at most.
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

/// A bin that feeds an item: where it holds something in the item's row.
template <typename T>
struct WindowSource {
  const T* row;  // angle 0, column 0
  const T* weight;
  int a0, a1, x0, x1;
  int bin, unused;
};

struct WindowControl {
  int step;          // steps done
  int limit;         // steps wanted
  unsigned arrived;  // blocks that have come to a wait, counted on and on in one launch
};

/// Offsets in a block's shared memory, in bytes, and capacities.
struct WindowLayout {
  int boxes, bins, feeds, plans, begins, angles, rows, views, sums, partial, own, tile, turned, deposits, weights;
  int bytes;
  int feeds_held;    // 1: the lists of feeds are held in shared memory
  int most_angles;   // that an item makes
  int most_quads;    // of columns that an item makes
  int most_weights;  // of angle kernels that are held
  int most_views;    // sources of an item
};

template <typename T>
struct WindowParameters {
  DeviceTables<T> tables;
  DeviceScores scores;
  T* state[2];           // [bin][z][angle][x]. Path stepping: the state, and the same between the passes.
                         // Depth stepping: before the even and before the odd steps
  WindowBox* bounds[3];  // [ne] what the state holds before step n: bounds[n % 3]
  WindowControl* control;
  const WindowBin* bins;
  const WindowAngle<T>* angles;
  const short* row_material;  // [nz], -1 where a row holds more than one
  const int* feed_bin;
  const T* feed_weight;
  const T* kernel_weight;
  const T* lost;    // [end][ne][material][angle] share that scattering sends from an angle off the grid
  double* written;  // [steps + 1][2] protons and MeV that the state held before a step, cut edges included
  WindowLayout layout;
  int feeds;                                               // in `feed_bin`
  int rows;                                                // z rows stored; depth stepping 1
  int row_mask;                                            // row z lies at z & row_mask: all of them, or a ring
  int pitch;                                               // columns stored per row
  int start_z;                                             // depth stepping: plane of step 0
  int whole_x_min, whole_x_max, whole_z_min, whole_z_max;  // over all angles
  T threshold;                                             // cells below it do not widen the bounds
  double stop_number;                                      // protons in flight at which the run is done
};

/// Start of one of many beams, as a product: protons of the bins from `first_bin` on; shares of the angles from a0 on;
/// for each angle, shares of the columns from x0 on. The lists lie in `values` of WindowBeams from these places on.
struct WindowStart {
  int first_bin, bins, a0, a1, x0, x1;
  int bins_at, angles_at, columns_at;
  int unused;
  double number;  // protons
};

/// Many beams that share tables. A team of blocks takes one to its end, then another.
template <typename T>
struct WindowBeams {
  const WindowStart* starts;  // [beam]
  const double* values;
  T* states;                // [place][2][bin][z][angle][x]
  WindowBox* boxes;         // [place][3][ne]
  WindowControl* controls;  // [place]
  double* written;          // [place][steps + 1][2]
  int* taken;               // [place] 1: a block that runs has it; null: each team has a place of its own
  int places;
  double* fields;         // [4][beam][z][x]: dose and the three currents, zero at first, as are
  double* ledgers;        // [beam][steps + 1][kLedgerColumns], with what is in flight at the end in the last row,
  float* extremes;        // and [beam][2]
  long long state_cells;  // of one state
  int beams, team;        // blocks of a team
  int steps;              // at most
  double threshold;       // for one proton,
  double stop_share;      // and of it
};

}  // namespace bb::transport
