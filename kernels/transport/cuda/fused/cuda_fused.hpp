#pragma once

#include "tuning/tunable.hpp"

#include "transport/model/device_tables.hpp"

// The fused step on the GPU, as data: boxes and the control block that the host
// lays out and the device keeps. Included by nvcc, by NVRTC and by the host; no
// standard header.
//
// A step is two passes. `collide` makes, for one z row of one energy bin, the
// energy gather and the angle kernel; it scores what the row's protons leave
// behind; `stream` moves the result in x and z and writes it back to where the
// step started from. The last block of `stream` plans the next step, so that a
// run needs no host between its steps.
namespace bb::transport {

inline constexpr int kFusedThreads = 256;  // per block, at most
BB_TUNABLE(int, kCollideThreads, 64);      // per block of a whole grid's collide pass: its items are small
BB_TUNABLE(int, kFusedTurned, 3);          // angles that a thread makes of one quad of columns

/// Half-open bounds of what a bin's slice holds, columns in whole quads (x1 may
/// lie in the padding of a row, which holds zeros); empty when a0 >= a1.
struct DeviceBox {
  int z0, z1, a0, a1, x0, x1;
};

/// A bin that feeds an item of the first pass: where it holds something in the item's row, and its place in the list of
/// feeds (-1: it is only scored).
struct FusedSource {
  int a0, a1, x0, x1;
  int feed, bin;
};

/// Written by the last block of each step, read by all blocks of the next.
struct StepControl {
  int step;   // steps done
  int limit;  // steps wanted: blocks leave at once when step == limit
  int done;   // 1: nothing is in flight any more
  unsigned blocks_done;
  unsigned arrived;  // blocks of the persistent kernel that wait between passes,
                     // counted on and on
};

template <typename T>
struct FusedParameters {
  DeviceTables<T> tables;
  DeviceScores scores;
  T* state;              // [bin][z][angle][x] before and after a step
  T* turned;             // the same between its passes
  DeviceBox* bounds[2];  // [ne] what `state` holds at the start of step n:
                         // bounds[n & 1]
  DeviceBox* from;       // [ne] what the bins that feed a bin hold together, in the
                         // current step
  int* collide_begin;    // [ne + 1] items of the bins before
  int* stream_begin;     // [ne + 1]
  StepControl* control;
  const int* feed_low;    // [ne] bin e is fed from feed_count[e] bins from feed_low[e] on
  const int* feed_count;  // [ne]
  const int* feed_at;     // [ne] where the list of these bins begins, heaviest first, and
  const int* feed_bin;
  const int* feed_weight_at;  // [ne] where their weights begin:
  const T* feed_weight;       // [source as listed][material][class]
  const int* half;            // [ne] widest angle kernel of a bin over materials and classes
  const int* kernel_at;       // [ne] where its kernels begin:
  const T* kernel_weight;     // [material][distance 0 … half][class]
  const T* lost;              // [ne][material][angle] share that scattering sends from an
                              // angle off the grid at its low end,
  int lost_high;              // and so many values behind, at its high end
  const int* marched;         // [ne] 1: the angle march collides this bin; null: none
  double* written;            // [steps + 1][2] protons and MeV that step n wrote (row n +
                              // 1), cut edges included
  int rows;                   // z rows stored; depth stepping 1
  int pitch;                  // columns stored per row
  int tile_quads;             // four columns each of a collide item: 2, 4 or 8
  int chunk;                  // z rows that a stream item makes
  int most_feeds, most_half;
  int whole_x_min, whole_x_max, whole_z_min, whole_z_max;  // over all angles
  int alternates;                                          // 1: odd steps start from `turned` and end in `state`
  int start_z;                                             // depth stepping: plane of step 0
  double stop_number;                                      // protons in flight at which the run is done
};

}  // namespace bb::transport
