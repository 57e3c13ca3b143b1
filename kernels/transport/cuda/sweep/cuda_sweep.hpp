#pragma once

#include "transport/cuda/fused/cuda_fused.hpp"

// The whole step in one pass, as data: each cell is read once and written once. Included by nvcc, by NVRTC and by
// the host; no standard header.
//
// A block takes a column: a few neighbouring bins and some of their angles, all x, and marches through z. Three kinds
// of warps work on it. One copies the rows of the bins that feed the column into shared memory, ahead of use. It adds
// up what the row's protons leave behind. Some collide a row: energy gather and angle kernel, into a tile of shared
// memory. The others stream it: remap in x from the tile, remap in z from the rows before, in registers, and write.
namespace bb::transport {

inline constexpr int kSweepThreads = 640;
inline constexpr int kSweepBins = 3;     // of a column, at most
inline constexpr int kSweepTaps = 4;     // neighbouring bins that feed a bin of a windowed group
inline constexpr int kSweepSources = 8;  // bins that may feed a group
inline constexpr int kSweepSlot = 1536;  // floats of one source of a windowed group in a stage
inline constexpr int kSweepTiles = 5;    // collided rows between colliding and streaming; the remap in z reaches as far
inline constexpr int kSweepStages = 6;   // source rows ahead, at most
inline constexpr int kSweepRun = 3;      // neighbouring angles that a thread collides in a windowed group
inline constexpr int kSweepTurned = 3;   // angles that a thread makes of one quad of columns where kernels are wide

/// Floats of the rows of one source in a stage, where they are not in slots of kSweepSlot.
BB_HD inline int sweep_source_floats(int rows, int pitch) { return (rows * pitch + 31) / 32 * 32 + 32; }

/// Floats of one row of a block's scores.
BB_HD inline int sweep_score_floats(int pitch) { return 2 * pitch + 4; }

inline constexpr int kCollectWarps = 32;  // of a block that adds the blocks' scores up

/// Neighbouring bins that are made together.
struct SweepGroup {
  int bin, bins;  // the first, and how many; 0: the group only scores
  int half;       // widest angle kernel
  int windowed;   // 1: bin b is fed from sources b … b + 3 and the angle kernel has three points
  int sources, source[kSweepSources];
  float weight[kSweepBins][kSweepSources];
  float angle[kSweepBins][2];  // weights of distance 0 and 1, windowed
  int kernel_at;               // others: where their weights begin, [bin][distance 0 … half]
  int scored;
  int scored_at[kSweepBins];  // among the sources
  float counts[kSweepBins];   // 1: scored here, 0: elsewhere
};

/// Angles a0 … a1 - 1 of a group.
struct SweepColumn {
  int group, a0, a1;
  int scorers, colliders, streamers;  // warps
  int score_parts;                    // of the angles: threads that score a quad of columns
  // Shared memory, floats.
  int tiles_at, tile_floats;            // kSweepTiles × [row][pitch + 4]
  int gathered_at;                      // [bin][angle][pitch]
  int kernels_at;                       // [bin][distance], [end][bin][angle]
  int stages, stages_at, stage_floats;  // [source][angle][pitch]
};

/// Data that streaming needs for an angle. Angles that move to lower x hold their rows mirrored, so that all move to
/// higher x, by less than a cell.
struct SweepAngle {
  float x[5], z[5];  // flux weights
  int mirrored;
  int whole_z;
  float plane, plane_theta, plane_theta_theta, unused;  // planes crossed in a step, times θ, times θ²
};

struct SweepParameters {
  const SweepGroup* groups;
  const SweepColumn* columns;
  const int* begin;  // [blocks + 1] columns of each block
  const SweepAngle* angles;
  const float* kernels;
  int turning;    // the first angle that is not mirrored
  float* scores;  // [block][z][sweep_score_floats]: dose, current, sums of the other two and a moment over x
};

}  // namespace bb::transport
