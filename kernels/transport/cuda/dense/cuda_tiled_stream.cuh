#pragma once

#include "cuda_tiled_turn.cuh"
#include "transport/cuda/cuda_common.cuh"

// Both remaps of a tile in one pass: the tile is loaded with its halo, remapped in x into a second tile, and remapped
// in z into memory.
namespace bb::transport {

/// Assigns the cells of a rectangle of `width` columns to a block's threads, row by row, without a division per cell.
struct ThreadCells {
  int row, column, rows, columns, width;

  __device__ explicit ThreadCells(int wide) : width(wide) {
    row = static_cast<int>(threadIdx.x) / wide;
    column = static_cast<int>(threadIdx.x) - row * wide;
    rows = kStreamThreads / wide;
    columns = kStreamThreads - rows * wide;
  }
  __device__ void next() {
    row += rows;
    column += columns;
    if (column >= width) {
      column -= width;
      ++row;
    }
  }
};

/// Grid (tiles_x·tiles_z, ntheta, ne). Shared: the loaded tile [rows][loaded_pitch], then the remapped one
/// [rows][remapped_pitch].
template <int kWide>
__device__ void tiled_stream(const DeviceStep<float>& s, const StreamTiles& tiles, float* loaded) {
  if (run_is_over(s)) return;
  const DeviceTables<float>& t = s.tables;
  const int a = blockIdx.y;
  const int e = blockIdx.z;
  const int tile_z = blockIdx.x / tiles.tiles_x;
  const int tile_x = blockIdx.x - tile_z * tiles.tiles_x;
  const int wx = t.whole_x[a];
  const int wz = t.whole_z[a];
  // Output range of the tile, including cells beyond the grid's faces.
  const int x0 = tile_x == 0 ? min(0, wx) : tile_x * tiles.x;
  const int x1 = tile_x == tiles.tiles_x - 1 ? t.nx + max(0, wx + 1) : (tile_x + 1) * tiles.x;
  const int z0 = tile_z == 0 ? min(0, wz) : tile_z * tiles.z;
  const int z1 = tile_z == tiles.tiles_z - 1 ? t.nz + max(0, wz + 1) : (tile_z + 1) * tiles.z;
  // The donors of a cell are `whole` and `whole` + 1 cells before it, each with two neighbours on either side.
  const int row0 = z0 - wz - 3;
  const int rows = z1 - z0 + 5;
  const int column0 = (x0 - wx - 3) & ~(kWide - 1);
  const int words = (x1 - wx + 2 - column0 + kWide - 1) / kWide;
  const long long field = field_offset(s, e, a);
  using Word = Pack<kWide>;

  for (ThreadCells at(words); at.row < rows; at.next()) {
    const int z = row0 + at.row;
    const int x = column0 + at.column * kWide;
    Word word{};
    if (z >= 0 && z < t.nz) {
      const float* row = s.from + field + z * t.nx;
      if (x >= 0 && x < t.nx) {
        word = *reinterpret_cast<const Word*>(row + x);
      } else if (const int last = physics::remap_neighbour(x, t.nx, wx); last >= 0) {  // words end at the grid's end
        for (int j = 0; j < kWide; ++j) word.v[j] = row[last];
      }
    }
    *reinterpret_cast<Word*>(loaded + at.row * tiles.loaded_pitch + at.column * kWide) = word;
  }
  __syncthreads();

  float* remapped = loaded + tiles.rows * tiles.loaded_pitch;
  const int width = x1 - x0;
  const int shift = x0 - wx - 3 - column0;
  float c[physics::kRemapTaps];
  for (int m = 0; m < physics::kRemapTaps; ++m) c[m] = t.flux_x[a * physics::kRemapTaps + m];
  double lost_x = 0.0, lost_z = 0.0;
  for (ThreadCells at(width); at.row < rows; at.next()) {
    const float* v = loaded + at.row * tiles.loaded_pitch + at.column + shift;
    const float arrives = physics::remap_flux(v[0], v[1], v[2], v[3], v[4], c);
    const float passes = physics::remap_flux(v[1], v[2], v[3], v[4], v[5], c);
    float content = v[3] - passes + arrives;
    const int x = x0 + at.column;
    if (x < 0 || x >= t.nx) {
      // Only cells inside the grid contain protons. Values that the remap reads beyond the end of a row are not
      // content.
      const auto holds = [&](int donor) { return donor >= 0 && donor < t.nx; };
      content = (holds(x - wx) ? v[3] - passes : 0.0f) + (holds(x - wx - 1) ? arrives : 0.0f);
      // Each row of donors belongs to one tile: the tile that computes the row `wz` further on.
      const int z = row0 + at.row + wz;
      if (z >= z0 && z < z1) lost_x += static_cast<double>(content);
      content = 0.0f;
    }
    remapped[at.row * tiles.remapped_pitch + at.column] = content;
  }
  __syncthreads();

  for (int m = 0; m < physics::kRemapTaps; ++m) c[m] = t.flux_z[a * physics::kRemapTaps + m];
  // A thread processes consecutive rows of a column, so that it computes each flux once. Several threads share a
  // column.
  const int groups = max(1, kStreamThreads / width);
  const int share = (z1 - z0 + groups - 1) / groups;
  for (int n = threadIdx.x; n < width * groups; n += kStreamThreads) {
    const int column = n % width;
    const int first = z0 + n / width * share;
    const int last = min(z1, first + share);
    if (first >= last) continue;
    const int x = x0 + column;
    const bool inside = x >= 0 && x < t.nx;
    const float* p = remapped + (first - z0) * tiles.remapped_pitch + column;
    float v[physics::kRemapTaps];
    for (int m = 0; m < physics::kRemapTaps; ++m) v[m] = p[m * tiles.remapped_pitch];
    float carried = physics::remap_flux(v[0], v[1], v[2], v[3], v[4], c);
    for (int z = first; z < last; ++z) {
      for (int m = 0; m + 1 < physics::kRemapTaps; ++m) v[m] = v[m + 1];
      v[4] = p[(z - first + 5) * tiles.remapped_pitch];
      const float moved = physics::remap_flux(v[0], v[1], v[2], v[3], v[4], c);
      const float content = v[2] - moved + carried;
      carried = moved;
      if (z < 0 || z >= t.nz) {
        lost_z += static_cast<double>(content);
      } else if (inside) {
        s.to[field + z * t.nx + x] = content;
      }
    }
  }
  double* row = ledger_row(s.scores, s.step);
  block_escape(row, face_ahead(kXLow, wx), lost_x, t.energy[e]);
  block_escape(row, face_ahead(kZLow, wz), lost_z, t.energy[e]);
}

}  // namespace bb::transport
