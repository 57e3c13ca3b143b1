#pragma once

#include "tuning/tunable.hpp"

// Shapes of the tiles of `cuda-tiled`. Included by nvcc, by NVRTC and by the host, so it includes no standard header.
namespace bb::transport {

// Energy and angles: a tile is 32 neighbouring cells of a field, a whole line of memory, and all angles up to a maximum
// of 192. With the halo, six blocks fit on a multiprocessor. A thread computes 4 × 4 values. Rows are padded by one
// 16-byte word.
BB_TUNABLE_90(int, kTurnThreads, 192, 96);
inline constexpr int kTurnCells = 32;
inline constexpr int kTurnPitch = kTurnCells + 4;
inline constexpr int kMaxTurnAngles = 192;
BB_TUNABLE(int, kTurnGroup, 4);  // angles per thread

BB_TUNABLE_90(int, kStreamThreads, 256, 128);

/// Tiles of one (e, θ) field for streaming. The outermost tiles also compute the cells beyond the grid that protons
/// reach; their content has escaped.
struct StreamTiles {
  int x, z;              // cells that a tile computes along each axis
  int tiles_x, tiles_z;  // tiles per field
  int loaded_pitch;      // columns of the loaded tile in shared memory
  int remapped_pitch;    // columns of the tile after the remap in x
  int rows;              // rows of both tiles
};

}  // namespace bb::transport
