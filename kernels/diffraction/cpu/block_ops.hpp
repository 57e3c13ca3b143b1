#pragma once

#include <atomic>

#include "diffraction/model/row_part.hpp"
#include "diffraction/model/setup.hpp"

// The fused rows of the variants, compiled per instruction set: blocks of neighbouring pixels side by side.
namespace bb::diffraction {

/// Neighbouring pixels of a block, of every instruction set.
inline constexpr int kBlockPixels = 64;

enum class Arithmetic { kFp64, kNaive, kDelta, kMixed, kChebyshev, kDoubleFloat };
inline constexpr int kArithmetics = 6;

/// Photons of part of a row into `out`; false when it was cancelled.
using RowFunction = bool (*)(const Setup&, RowPart part, const std::atomic<bool>& cancel, double* out);

/// First element of a temporary of the whole image, per component.
struct Planes {
  double *x, *y, *z;
};

/// One stage each over the pixels of rows first … last, reading and writing temporaries that hold the whole image.
struct Stages {
  /// The unit vector to each pixel's sub-pixel.
  void (*directions)(const Setup&, int sub_fast, int sub_slow, int depth, int first, int last, Planes d);
  /// (d - incident) / wavelength.
  void (*transfer)(const Source&, std::size_t begin, std::size_t end, Planes d, Planes q);
  /// h, k, l.
  void (*indices)(const Basis&, std::size_t begin, std::size_t end, Planes q, Planes hkl);
  /// The lattice factor squared.
  void (*lattice)(const Setup&, std::size_t begin, std::size_t end, Planes hkl, double* f2);
  /// f2 times the F² of the cell.
  void (*structure)(const Setup&, std::size_t begin, std::size_t end, Planes hkl, double* f2);
  /// Weight of a sub-pixel for one source.
  void (*weights)(const Setup&, std::size_t source, int depth, std::size_t begin, std::size_t end, Planes d, double* w);
  /// sum += w · f2.
  void (*accumulate)(std::size_t begin, std::size_t end, const double* w, const double* f2, double* sum);
  /// Photons, with the corrections of whole pixels in `factor` or 1.
  void (*finish)(const Setup&, std::size_t begin, std::size_t end, const double* factor, const double* weights,
                 double* sum);
};

/// For the instruction set that this CPU runs best.
RowFunction block_row(Arithmetic arithmetic);
const Stages& stages();

}  // namespace bb::diffraction
