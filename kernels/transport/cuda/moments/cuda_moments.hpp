#pragma once

#include "beam_march.hpp"
#include "transport/moments/beam_readouts.hpp"

// Inputs and outputs of the kernels that march moments. Included by nvcc, by NVRTC and by the host, so it includes no
// standard header but <cmath>.
namespace bb::transport {

inline constexpr int kMomentsWarps = 4;            // per block, one beam each
inline constexpr int kReadoutThreads = 64;         // per block, one beam each
inline constexpr int kMomentsSlots[] = {2, 4, 8};  // bins per lane, with one kernel for each value

/// Beams that are solved together.
template <typename T>
struct MomentsBeams {
  const beam_march::BeamInput* beams;
  int count;
  int table_size;    // values per table of a warp
  double* planes;    // [warps, or beams if planes are read back][capacity][kComponents]
  int* layer_begin;  // [warps or beams, as above][layers + 2]
  int capacity;
  bool planes_by_beam;
  beam_march::MarchOutcome* outcomes;    // [beams]
  beam_march::BeamReadouts* readouts;    // [beams]
  T *dose, *protons, *variance, *edges;  // [rows][beams]; edges has one more row. Null: no readouts
  int rows;
  double first_row, dz, entrance;  // mm of depth

  BB_HD beam_march::BeamRows<T> rows_of(int beam) const {
    return {dose + beam, protons + beam, variance + beam, edges + beam, rows, count, first_row, dz};
  }
};

}  // namespace bb::transport
