#pragma once

#include "device_tables.hpp"

// The fused step on the GPU, as data: boxes, work items and the control block that the host lays out and
// the device keeps. Included by nvcc, by NVRTC and by the host; no standard header.
//
// A step is a list of work items that blocks take from a counter. An `advance` item makes one x tile and
// z chunk of one energy bin from its sources; a `score` item adds what one bin's protons leave behind.
// The last block to finish plans the next step, so that a run needs no host between its steps.
namespace bb::transport {

inline constexpr int kFusedTile = 16;      // x columns that an item makes
inline constexpr int kFusedThreads = 384;  // per block
inline constexpr int kScoreRows = 4;       // z rows of a score item

/// Half-open bounds of what a bin's slice holds, columns in whole quads (x1 may lie in the padding of a
/// row, which holds zeros); empty when a0 >= a1.
struct DeviceBox {
  int z0, z1, a0, a1, x0, x1;
};

enum WorkKind { kAdvance, kScore };

enum MarchedFlags { kMarchMakes = 1, kMarchScores = 2 };

struct WorkItem {
  int kind, bin;
  int x0;           // first column of the tile (kAdvance); may lie outside the grid, to count what leaves
  int z0, z1;       // rows made or scored
  int first, last;  // bit 0: the first/last tile in x, bit 1: the first/last chunk in z
};

/// Written by the last block of each step, read by all blocks of the next.
struct StepControl {
  int step;            // steps done
  int limit;           // steps wanted: blocks leave at once when step == limit
  int done;            // 1: nothing is in flight any more
  int items;           // of the current step
  int overflow;        // a slice outgrew the ring of z rows: the run must start again with a larger one
  unsigned next_item;  // counter that blocks draw from
  unsigned blocks_done;
};

template <typename T>
struct FusedParameters {
  DeviceTables<T> tables;
  DeviceScores scores;
  T* state[2];           // [bin][z % ring][angle][x]; step n reads state[n & 1]
  DeviceBox* bounds[2];  // [ne] what state[i] holds
  StepControl* control;
  WorkItem* work;         // [work_capacity]
  const int* feed_begin;  // [ne + 1] bins that feed a bin in any class and material, each once
  const int* feed;
  const int* half;     // [ne] widest angle kernel of a bin over materials and classes
  const int* marched;  // [ne] MarchedFlags of what the angle march does instead; null: nothing
  double* written;     // [steps + 1][2] protons and MeV that step n wrote (row n + 1), cut edges included
  int ring;            // z rows stored; depth stepping 1
  int pitch;           // columns stored per row
  int work_capacity;
  int chunk;                                               // z rows that an advance item makes
  int whole_x_min, whole_x_max, whole_z_min, whole_z_max;  // over all angles
  int window;          // 1: bounds follow the protons, 0: every slice is the whole grid
  int start_z;         // depth stepping: plane of step 0
  T threshold;         // cells below it do not widen the bounds
  double stop_number;  // protons in flight at which the run is done
};

}  // namespace bb::transport
