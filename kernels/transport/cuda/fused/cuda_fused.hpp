#pragma once

#include "tuning/tunable.hpp"

#include "transport/model/device_tables.hpp"

// Data of the fused step on the GPU: boxes and the control block that the host initializes and the device updates.
// Included by nvcc, by NVRTC and by the host, so it includes no standard header.
//
// A step has two passes. `collide` applies the energy gather and the angle kernel to one z row of one energy bin. It
// also scores the row's protons. A block of `collide` processes items: each is one z row and one tile of columns of a
// target bin. `stream` moves the result in x and z and writes it back to the buffer with which the step started. The
// last block of `stream` plans the next step, so that a run needs no host between steps.
namespace bb::transport {

inline constexpr int kFusedThreads = 256;  // maximum number of threads per block
BB_TUNABLE(int, kCollideThreads, 64);      // threads per block of `collide` on a whole grid, where items are small
BB_TUNABLE(int, kFusedTurned, 3);          // angles that a thread computes for one quad of columns

/// Half-open bounds of the non-zero content of a bin. Columns are in whole quads (x1 may lie in the padding of a row,
/// which holds zeros). Empty if a0 >= a1.
struct DeviceBox {
  int z0, z1, a0, a1, x0, x1;
};

/// A source bin of a collide item: its box in the item's z row, and its index in the target bin's list of sources.
/// `feed` is -1 for the target bin itself if none of its protons stay in it. The entry is then used only for scores.
struct FusedSource {
  int a0, a1, x0, x1;
  int feed, bin;
};

/// Written by the last block of each step, read by all blocks in the next step.
struct StepControl {
  int step;   // steps done
  int limit;  // number of steps to take; blocks exit if step == limit
  int done;   // 1: no protons are in flight
  unsigned blocks_done;
  unsigned arrived;  // blocks of the persistent kernel that finished a pass, summed since the batch began
};

template <typename T>
struct FusedParameters {
  DeviceTables<T> tables;
  DeviceScores scores;
  T* state;              // [bin][z][angle][x] before and after a step
  T* turned;             // same layout, between the passes of a step
  DeviceBox* bounds[2];  // [ne] box of each bin at the start of step n: bounds[n & 1]
  DeviceBox* from;       // [ne] box around a bin's sources in the current step
  int* collide_begin;    // [ne + 1] number of collide items in lower bins
  int* stream_begin;     // [ne + 1]
  StepControl* control;
  const int* feed_low;    // [ne] sources of bin e: feed_count[e] bins from feed_low[e] on
  const int* feed_count;  // [ne]
  const int* feed_at;     // [ne] start of the list of sources in feed_bin, heaviest first
  const int* feed_bin;
  const int* feed_weight_at;  // [ne] start of the bin's weights in feed_weight
  const T* feed_weight;       // [source in list order][material][class]
  const int* half;            // [ne] half width of the widest angle kernel of a bin over materials and classes
  const int* kernel_at;       // [ne] start of the bin's kernels in kernel_weight
  const T* kernel_weight;     // [material][distance 0 … half][class]
  const T* lost;              // [ne][material][angle] share that scattering sends off the grid at the low end
  int lost_high;              // offset in `lost` of the shares at the high end
  const int* marched;         // [ne] 1: the angle march collides this bin; null: it collides no bin
  double* written;            // [steps + 1][2] protons and MeV that step n wrote (row n + 1), including cut edges
  int rows;                   // stored z rows; 1 with depth stepping
  int pitch;                  // stored columns per row
  int tile_quads;             // quads of columns per collide item: 2, 4 or 8
  int chunk;                  // z rows per stream item
  int most_feeds, most_half;
  int whole_x_min, whole_x_max, whole_z_min, whole_z_max;  // range over all angles
  int alternates;                                          // 1: odd steps start from `turned` and end in `state`
  int start_z;                                             // depth stepping: plane of step 0
  double stop_number;                                      // the run is over at this number of protons in flight
};

}  // namespace bb::transport
