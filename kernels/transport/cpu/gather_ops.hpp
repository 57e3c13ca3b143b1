#pragma once

#include <cstddef>
#include <vector>

#include "dense_state.hpp"
#include "transport/model/faces.hpp"
#include "transport/model/typed_tables.hpp"

// The operators of the `gather` variant on parts of the grid, compiled per instruction set. Every loop runs over
// contiguous cells; nothing is cleared or shared between threads.
namespace bb::transport {

/// FFT of the angle kernels of path stepping, with frequencies in the order of RowFft.
template <typename T>
struct AngleSpectra {
  AngleSpectra(const Tables& tables, const TypedTables<T>& typed);
  const T* of(std::size_t row) const { return values.data() + row * length; }

  std::size_t length;     // a power of two
  std::vector<T> values;  // [materials·ne][length]
};

template <typename T>
struct GatherContext {
  const Tables* tables;
  const TypedTables<T>* typed;
  const DenseState<T>* state;
  const T* in;
  T* out;
  const AngleSpectra<T>* spectra = nullptr;  // for scatter_by_fft
};

/// Rows z0 … z1 of the state.
struct RowBlock {
  int z0, z1;
};

/// Contribution of one task to the step's totals.
struct GatherTotals {
  double number = 0, energy = 0;  // in flight after the operator
  double deposited = 0, stopped = 0, nuclear = 0, nuclear_energy = 0;
  double lost[kFaces] = {};         // protons that left the grid, by face
  double lost_energy[kFaces] = {};  // energy of these protons, MeV
  double low = 0, high = 0;
};

template <typename T>
struct GatherOps {
  /// Scores `in` into dose [z][x], crossing [z][Crossing] and, if Tables::tracks is on, tracks. Then gathers every bin,
  /// for angles a0 … a1.
  GatherTotals (*slow_down)(const GatherContext<T>&, RowBlock, int a0, int a1, double* dose, double* crossing,
                            double* tracks);
  /// Adds the reactions of the protons in `in`, columns x0 … x1 of the block, to the grid of Tables::reactions. The
  /// block lies in one plane of that grid.
  void (*record)(const GatherContext<T>&, RowBlock, int x0, int x1, double* reactions);
  /// Gathers every angle of bin e.
  GatherTotals (*scatter_angles)(const GatherContext<T>&, RowBlock, int e);
  /// Streams the slices a0 … a1 of bin e along x, then along z (path stepping).
  GatherTotals (*stream)(const GatherContext<T>&, int e, int a0, int a1);
};

/// Type of an operator on the cells of bin e in a block.
template <typename T>
using GatherPass = GatherTotals (*)(const GatherContext<T>&, RowBlock, int e);

/// GatherOps::scatter_angles by FFT, for path stepping.
template <typename T>
GatherPass<T> scatter_by_fft();

/// The operators for the best instruction set of this CPU.
template <typename T>
const GatherOps<T>& gather_ops();

}  // namespace bb::transport
