#pragma once

#include <atomic>

#include "diffraction/model/setup.hpp"

// Fused row functions of the variants, compiled per instruction set: they process blocks of neighbouring pixels in
// vectors.
namespace bb::diffraction {

/// Number of neighbouring pixels in a block, the same for every instruction set.
inline constexpr int kBlockPixels = 64;

enum class Arithmetic { kFp64, kNaive, kDelta, kMixed, kChebyshev, kDoubleFloat };
inline constexpr int kArithmetics = 6;

/// Writes the photons of part of a row to `out`. Returns false if it was cancelled.
using RowFunction = bool (*)(const Setup&, RowPart part, const std::atomic<bool>& cancel, double* out);

/// Pointers to the x, y and z components of a temporary of the image's size.
struct Planes {
  double *x, *y, *z;
};

/// Stages of the unfused variant: each is one pass over rows first … last. Temporaries have the size of the image.
struct StageFunctions {
  /// Unit vectors from the crystal to one sub-pixel of each pixel.
  void (*directions)(const Setup&, int sub_fast, int sub_slow, int depth, int first, int last, Planes d);
  /// q = (d - incident) / wavelength.
  void (*transfer)(const Source&, std::size_t begin, std::size_t end, Planes d, Planes q);
  /// Fractional indices h, k, l from q.
  void (*indices)(const Basis&, std::size_t begin, std::size_t end, Planes q, Planes hkl);
  /// Squared lattice factors `f2` at the indices.
  void (*lattice)(const Setup&, std::size_t begin, std::size_t end, Planes hkl, double* f2);
  /// Multiplies f2 by F² of the cell.
  void (*structure)(const Setup&, std::size_t begin, std::size_t end, Planes hkl, double* f2);
  /// Weights of one sub-pixel of each pixel for one source.
  void (*weights)(const Setup&, std::size_t source, int depth, std::size_t begin, std::size_t end, Planes d, double* w);
  /// sum += w · f2.
  void (*accumulate)(std::size_t begin, std::size_t end, const double* w, const double* f2, double* sum);
  /// Converts sums to photons per pixel. `factor` holds the corrections of whole pixels, or ones.
  void (*finish)(const Setup&, std::size_t begin, std::size_t end, const double* factor, const double* weights,
                 double* sum);
};

/// Returns the row function for the best instruction set of this CPU.
RowFunction block_row(Arithmetic arithmetic);
const StageFunctions& stages();

}  // namespace bb::diffraction
