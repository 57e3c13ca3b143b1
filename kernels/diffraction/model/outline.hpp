#pragma once

#include <string>

#include "plate.hpp"
#include "problem.hpp"

namespace bb::diffraction {

/// Properties of a setup that are known before anything of it is laid out: sizes, and the criteria for choosing a
/// variant.
struct Outline : Plate {
  double na = 1, nb = 1, nc = 1;
  Shape shape = Shape::kSquare;
  Lookup lookup = Lookup::kNearest;
  Corrections corrections = Corrections::kPixel;
  std::string device;  // of the GPU, index or UUID; "": the one that runs use
  std::size_t source_count = 0, domain_count = 0, phi_count = 0;
  unsigned nh = 0, nk = 0, nl = 0;  // of the box of structure factors

  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  double orientation_count() const { return static_cast<double>(domain_count) * static_cast<double>(phi_count); }
  /// Lattice factors in one pixel.
  double terms_per_pixel() const {
    return static_cast<double>(oversample) * oversample * layers * static_cast<double>(source_count) *
           orientation_count();
  }
  /// Bytes of everything that is laid out before the image is begun, and of the image.
  double table_bytes() const { return sizeof(double) * (static_cast<double>(nh) * nk * nl); }
  double bytes() const { return image_bytes() + table_bytes() + source_bytes() + orientation_bytes(); }
  double image_bytes() const { return sizeof(double) * static_cast<double>(pixels()); }
  double source_bytes() const { return sizeof(Source) * static_cast<double>(source_count); }
  double orientation_bytes() const {
    return sizeof(Basis) * orientation_count() + sizeof(Mat3) * static_cast<double>(domain_count) +
           sizeof(double) * static_cast<double>(phi_count);
  }
};

/// Takes no memory. Throws ProblemError that names the field, the value and what is allowed; 'memory' for what takes
/// more than the problem's limit to lay out.
Outline outline_of(const Problem& problem);

}  // namespace bb::diffraction
