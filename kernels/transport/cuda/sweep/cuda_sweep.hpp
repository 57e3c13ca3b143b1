#pragma once

#include "transport/cuda/fused/cuda_fused.hpp"

// Data of the sweep, the whole step in one pass: each cell is read once and written once. Included by nvcc, by NVRTC
// and by the host, so it includes no standard header.
//
// A block processes columns. A column is a few neighbouring bins, some of their angles and all x, and the block marches
// it through z. Four kinds of warps do so. One warp copies rows of the source bins into shared memory, ahead of their
// use. Scoring warps sum the scores of these rows. Colliding warps apply the energy gather and the angle kernel to a
// row and write it to a tile in shared memory. Streaming warps remap the tile in x, remap in z with the previous rows
// in registers, and write the result.
namespace bb::transport {

inline constexpr int kSweepThreads = 640;
inline constexpr int kSweepBins = 3;     // maximum bins of a column
inline constexpr int kSweepTaps = 4;     // neighbouring source bins of a bin in a windowed group
inline constexpr int kSweepSources = 8;  // maximum source bins of a group
inline constexpr int kSweepSlot = 1536;  // floats per source of a windowed group in a stage
// Number of rows that wait for streaming after the collide pass, as many as the remap in z reads.
inline constexpr int kSweepTiles = 5;
inline constexpr int kSweepStages = 6;  // maximum number of source rows that are copied ahead
inline constexpr int kSweepRun = 3;     // neighbouring angles that a thread collides in a windowed group
inline constexpr int kSweepTurned = 3;  // angles that a thread computes for one quad of columns if kernels are wide

/// Floats per source in a stage, for groups that do not use slots of kSweepSlot floats.
BB_HD inline int sweep_source_floats(int rows, int pitch) { return (rows * pitch + 31) / 32 * 32 + 32; }

/// Floats of one row of a block's scores.
BB_HD inline int sweep_score_floats(int pitch) { return 2 * pitch + 4; }

inline constexpr int kCollectWarps = 32;  // warps of a block that collects the blocks' scores

/// Neighbouring bins that are computed together.
struct SweepGroup {
  int bin, bins;  // first bin and number of bins; 0 bins: the group only scores its sources
  int half;       // half width of the widest angle kernel
  int windowed;   // 1: bin b has the sources b … b + 3 and the angle kernel has three points
  int sources, source[kSweepSources];
  float weight[kSweepBins][kSweepSources];
  float angle[kSweepBins][2];  // weights at distances 0 and 1, if windowed
  int kernel_at;               // start of the weights if not windowed, [bin][distance 0 … half]
  int scored;
  int scored_at[kSweepBins];  // indices into `source`
  float counts[kSweepBins];   // 1: this group scores the source bin, 0: another group does
};

/// Angles a0 … a1 - 1 of a group.
struct SweepColumn {
  int group, a0, a1;
  int scorers, colliders, streamers;  // warps
  int score_parts;                    // parts of the angles, one per thread that scores a quad of columns
  // Layout of shared memory, in floats.
  int tiles_at, tile_floats;            // kSweepTiles × [row][pitch + 4]
  int gathered_at;                      // [bin][angle][pitch]
  int kernels_at;                       // [bin][distance], [end][bin][angle]
  int stages, stages_at, stage_floats;  // [source][angle][pitch]
};

/// Streaming data of an angle. Angles that move to lower x store their rows mirrored, so that all angles move to higher
/// x, by less than a cell.
struct SweepAngle {
  float x[5], z[5];  // flux weights
  int mirrored;
  int whole_z;
  float plane, plane_theta, plane_theta_theta, unused;  // planes crossed in a step, times 1, θ and θ²
};

struct SweepParameters {
  const SweepGroup* groups;
  const SweepColumn* columns;
  const int* begin;  // [blocks + 1] first column of each block
  const SweepAngle* angles;
  const float* kernels;
  int turning;    // first angle that is not mirrored
  float* scores;  // [block][z][sweep_score_floats]: dose, current, then sums of θ and θ² moments and a moment over x
};

}  // namespace bb::transport
