#include "cuda_common.cuh"
#include "cuda_tiled.hpp"

// Two passes over ψ instead of four. The energy gather fills a tile of angles in shared memory, where the
// angle convolution finds its neighbours; streaming loads a tile with its halo, remaps it in x into a second
// one and that in z into memory. Where rows are whole 16-byte words (kWide = 4), memory is read so.
namespace bb::transport {

template <int kWide>
struct alignas(sizeof(float) * kWide) Pack {
  float v[kWide];
};

/// ψ after the energy gather of `kWide` cells from `i` of field (e, a).
template <int kWide>
__device__ inline Pack<kWide> gather_energies(const DeviceStep<float>& s, int e, int a, int i) {
  const DeviceTables<float>& t = s.tables;
  Pack<kWide> sum{};
  const int m = material_of(s, i);
  bool same = true;
  for (int j = 1; j < kWide; ++j) same = same && material_of(s, i + j) == m;
  if (same) {
    const int row = table_row(t, 0, m, e);
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      const float w = t.gather_weight[k];
      const auto p = *reinterpret_cast<const Pack<kWide>*>(s.from + field_offset(s, t.gather_source[k], a) + i);
      for (int j = 0; j < kWide; ++j) sum.v[j] += w * p.v[j];
    }
    return sum;
  }
  for (int j = 0; j < kWide; ++j) {
    const int row = table_row(t, 0, material_of(s, i + j), e);
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      sum.v[j] += t.gather_weight[k] * s.from[field_offset(s, t.gather_source[k], a) + i + j];
    }
  }
  return sum;
}

/// Energy and angles of one bin: grid (⌈cells/32⌉, ⌈ntheta/64⌉, ne). Shared: (64 + 2·reach) rows of the tile.
template <int kWide>
__device__ void tiled_turn(const DeviceStep<float>& s, float* tile) {
  if (run_is_over(s)) return;
  constexpr int kLanes = kTurnCells / kWide;
  const DeviceTables<float>& t = s.tables;
  const int reach = t.angle_half_max;
  const int cells = field_cells(s);
  const int i0 = blockIdx.x * kTurnCells;
  const int a0 = blockIdx.y * kTurnAngles;
  const int e = blockIdx.z;
  using Word = Pack<kWide>;
  const auto word = [&](int row, int lane) -> Word& {
    return *reinterpret_cast<Word*>(tile + row * kTurnPitch + lane * kWide);
  };

  for (int n = threadIdx.x; n < (kTurnAngles + 2 * reach) * kLanes; n += kTiledThreads) {
    const int a = a0 - reach + n / kLanes;
    const int i = i0 + n % kLanes * kWide;
    const bool inside = a >= 0 && a < t.ntheta && i < cells;
    word(n / kLanes, n % kLanes) = inside ? gather_energies<kWide>(s, e, a, i) : Word{};
  }
  __syncthreads();

  double lost = 0.0;
  for (int n = threadIdx.x; n < kTurnAngles * kLanes; n += kTiledThreads) {
    const int lane = n % kLanes;
    const int a = a0 + n / kLanes;
    const int i = i0 + lane * kWide;
    if (a >= t.ntheta || i >= cells) continue;
    const int centre = reach + n / kLanes;
    const Word own = word(centre, lane);
    Word sum{};
    const auto convolve = [&](int material, int first, int last) {
      const int row = table_row(t, 0, material, e);
      const float* w = t.angle_weight + t.angle_begin[row];
      const int half = t.angle_begin[row + 1] - t.angle_begin[row] - 1;
      // From the far, small parts to the near ones, as in cuda_gather.cu.
      for (int k = half; k > 0; --k) {
        const Word below = word(centre - k, lane);
        const Word above = word(centre + k, lane);
        for (int j = first; j < last; ++j) sum.v[j] += w[k] * (below.v[j] + above.v[j]);
      }
      for (int j = first; j < last; ++j) {
        sum.v[j] += w[0] * own.v[j];
        for (int k = a + 1; k <= half; ++k) lost += static_cast<double>(own.v[j] * w[k]);
        for (int k = t.ntheta - a; k <= half; ++k) lost += static_cast<double>(own.v[j] * w[k]);
      }
    };
    const int m = material_of(s, i);
    bool same = true;
    for (int j = 1; j < kWide; ++j) same = same && material_of(s, i + j) == m;
    if (same) {
      convolve(m, 0, kWide);
    } else {
#pragma unroll
      for (int j = 0; j < kWide; ++j) convolve(material_of(s, i + j), j, j + 1);
    }
    *reinterpret_cast<Word*>(s.to + field_offset(s, e, a) + i) = sum;
  }
  if (a0 >= reach && a0 + kTurnAngles + reach <= t.ntheta) return;  // for the whole block
  double* row = ledger_row(s.scores, s.step);
  block_add(row + kEscapedTheta, lost);
  block_add(row + kEnergyEscapedTheta, lost * t.energy[e]);
}

/// Streaming in x and z of one tile of one field: grid (tiles_x·tiles_z, ntheta, ne). Shared: the loaded
/// tile [rows][loaded_pitch], then the remapped one [rows][remapped_pitch].
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
  // What the tile makes, beyond the grid's faces too.
  const int x0 = tile_x == 0 ? min(0, wx) : tile_x * tiles.x;
  const int x1 = tile_x == tiles.tiles_x - 1 ? t.nx + max(0, wx + 1) : (tile_x + 1) * tiles.x;
  const int z0 = tile_z == 0 ? min(0, wz) : tile_z * tiles.z;
  const int z1 = tile_z == tiles.tiles_z - 1 ? t.nz + max(0, wz + 1) : (tile_z + 1) * tiles.z;
  // The donors of a cell are the ones `whole` and `whole` + 1 before it, each with two neighbours.
  const int row0 = z0 - wz - 3;
  const int rows = z1 - z0 + 5;
  const int column0 = (x0 - wx - 3) & ~(kWide - 1);
  const int words = (x1 - wx + 2 - column0 + kWide - 1) / kWide;
  const long long field = field_offset(s, e, a);
  using Word = Pack<kWide>;

  for (int n = threadIdx.x; n < rows * words; n += kTiledThreads) {
    const int r = n / words;
    const int z = row0 + r;
    const int x = column0 + (n - r * words) * kWide;
    const bool inside = z >= 0 && z < t.nz && x >= 0 && x < t.nx;
    *reinterpret_cast<Word*>(loaded + r * tiles.loaded_pitch + (x - column0)) =
        inside ? *reinterpret_cast<const Word*>(s.from + field + z * t.nx + x) : Word{};
  }
  __syncthreads();

  float* remapped = loaded + tiles.rows * tiles.loaded_pitch;
  const int width = x1 - x0;
  float c[physics::kRemapTaps];
  for (int m = 0; m < physics::kRemapTaps; ++m) c[m] = t.flux_x[a * physics::kRemapTaps + m];
  double lost_x = 0.0, lost_z = 0.0;
  for (int n = threadIdx.x; n < rows * width; n += kTiledThreads) {
    const int r = n / width;
    const int x = x0 + n - r * width;
    const float* v = loaded + r * tiles.loaded_pitch + (x - wx - 3 - column0);
    const float arrives = physics::remap_flux(v[0], v[1], v[2], v[3], v[4], c);
    float content = v[3] - physics::remap_flux(v[1], v[2], v[3], v[4], v[5], c) + arrives;
    if (x < 0 || x >= t.nx) {
      // Each row of donors belongs to one tile: the one that makes the row `wz` further.
      const int z = row0 + r + wz;
      if (z >= z0 && z < z1) lost_x += static_cast<double>(content);
      content = 0.0f;
    }
    remapped[r * tiles.remapped_pitch + (x - x0)] = content;
  }
  __syncthreads();

  for (int m = 0; m < physics::kRemapTaps; ++m) c[m] = t.flux_z[a * physics::kRemapTaps + m];
  // A thread goes down a column, so that it makes each flux once. Columns share the rows where threads allow.
  const int groups = max(1, kTiledThreads / width);
  const int share = (z1 - z0 + groups - 1) / groups;
  for (int n = threadIdx.x; n < width * groups; n += kTiledThreads) {
    const int column = n % width;
    const int first = z0 + n / width * share;
    const int last = min(z1, first + share);
    if (first >= last) continue;
    const int x = x0 + column;
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
      } else if (x >= 0 && x < t.nx) {
        s.to[field + z * t.nx + x] = content;
      }
    }
  }
  const bool at_face = tile_x == 0 || tile_x == tiles.tiles_x - 1 || tile_z == 0 || tile_z == tiles.tiles_z - 1;
  if (!at_face) return;  // for the whole block
  double* row = ledger_row(s.scores, s.step);
  const double energy = t.energy[e];
  const double number_x = block_sum(lost_x);
  const double number_z = block_sum(lost_z);
  if (threadIdx.x != 0) return;
  if (number_x != 0.0) {
    atomicAdd(row + kEscapedX, number_x);
    atomicAdd(row + kEnergyEscapedX, number_x * energy);
  }
  if (number_z != 0.0) {
    atomicAdd(row + kEscapedZ, number_z);
    atomicAdd(row + kEnergyEscapedZ, number_z * energy);
  }
}

#define BB_TILED_KERNELS(wide)                                                                            \
  extern "C" __global__ void __launch_bounds__(kTiledThreads)                                             \
      tiled_turn_x##wide##_f32(const __grid_constant__ DeviceStep<float> s) {                             \
    extern __shared__ float4 tiled_shared[];                                                              \
    tiled_turn<wide>(s, reinterpret_cast<float*>(tiled_shared));                                          \
  }                                                                                                       \
  extern "C" __global__ void __launch_bounds__(kTiledThreads)                                             \
      tiled_stream_x##wide##_f32(const __grid_constant__ DeviceStep<float> s, const StreamTiles tiles) {  \
    extern __shared__ float4 tiled_shared[];                                                              \
    tiled_stream<wide>(s, tiles, reinterpret_cast<float*>(tiled_shared));                                 \
  }

BB_TILED_KERNELS(1)
BB_TILED_KERNELS(4)
#undef BB_TILED_KERNELS

}  // namespace bb::transport
