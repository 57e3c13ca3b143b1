// Row 4 of the table of performance claims: position += dt * velocity for one component of a record, in three layouts
// of the records.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr unsigned kFields = 8;  // floats per record; fields 0 and 1 are read, field 0 is written
inline constexpr unsigned kTile = 32;   // records per tile: those of a warp

/// Array of structures: records are stored one after another. A warp's 32 values of a field are in 32 different
/// sectors.
extern "C" __global__ void __launch_bounds__(256) micro_layout_aos(unsigned n, float dt, float* records) {
  const unsigned i = global_thread();
  if (i >= n) return;
  float* record = records + static_cast<unsigned long long>(i) * kFields;
  record[0] += dt * record[1];
}

/// Structure of arrays: fields are stored one after another.
extern "C" __global__ void __launch_bounds__(256) micro_layout_soa(unsigned n, float dt, float* fields) {
  const unsigned i = global_thread();
  if (i < n) fields[i] += dt * fields[n + i];
}

/// Tiles of 32 records; within a tile, fields are stored one after another.
extern "C" __global__ void __launch_bounds__(256) micro_layout_aosoa(unsigned n, float dt, float* tiles) {
  const unsigned i = global_thread();
  if (i >= n) return;
  float* tile = tiles + static_cast<unsigned long long>(i / kTile) * kTile * kFields + i % kTile;
  tile[0] += dt * tile[kTile];
}

}  // namespace bb::micro
