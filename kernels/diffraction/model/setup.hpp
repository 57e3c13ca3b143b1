#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "detector.hpp"
#include "plate.hpp"
#include "sources.hpp"
#include "structure_factors.hpp"
#include "unit_cell.hpp"

namespace bb::diffraction {

/// Everything that the inner loops need, in FP64 and SI units; made once per run, the same for every variant.
struct Setup : Plate {
  explicit Setup(StructureFactors factors) : structure(std::move(factors)) {}

  std::vector<Source> sources;

  Basis cell;  // as mounted, before phi and mosaic
  Vec3 spindle;
  std::vector<double> phis;  // rad
  std::vector<Mat3> domains;
  std::vector<Basis> orientations;  // of the cell, phi slow, domain fast; metres
  double na = 1, nb = 1, nc = 1;
  Shape shape = Shape::kSquare;

  StructureFactors structure;
  Lookup lookup = Lookup::kNearest;
  Corrections corrections = Corrections::kPixel;
  double scale = 0;    // photons per unit of Σ F², over the steps
  std::string device;  // of the GPU, index or UUID; "": the one that runs use
  double water = 0;    // photons of the background per unit of Σ weight, over sub-pixels and sources

  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  /// Lattice factors in one pixel.
  double terms_per_pixel() const {
    return static_cast<double>(oversample) * oversample * layers * static_cast<double>(sources.size()) *
           static_cast<double>(orientations.size());
  }
  /// Edges of the cell in one domain, with the spindle at phi.
  Basis orientation(double phi, const Mat3& domain) const {
    return domain * Basis{rotate(cell.a, spindle, phi), rotate(cell.b, spindle, phi), rotate(cell.c, spindle, phi)};
  }
  double pixel_correction(int fast, int slow) const { return Plate::pixel_correction(sources[0], fast, slow); }
};

/// `begins` is told the name of each stage as it begins. Throws ProblemError that names the field, the value and what
/// is allowed.
Setup make_setup(const Problem& problem, const std::function<void(const char* stage)>& begins = [](const char*) {});

}  // namespace bb::diffraction
