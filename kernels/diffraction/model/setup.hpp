#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "outline.hpp"
#include "sources.hpp"
#include "structure_factors.hpp"
#include "unit_cell.hpp"

namespace bb::diffraction {

/// Everything that the inner loops need, in FP64 and SI units; made once per run, the same for every variant.
struct Setup : Outline {
  Setup(Outline outline, StructureFactors factors) : Outline(std::move(outline)), structure(std::move(factors)) {}

  std::vector<Source> sources;

  Basis cell;  // as mounted, before phi and mosaic
  Vec3 spindle;
  std::vector<double> phis;  // rad
  std::vector<Mat3> domains;
  std::vector<Basis> orientations;  // of the cell, phi slow, domain fast; metres

  StructureFactors structure;
  double scale = 0;  // photons per unit of Σ F², over the steps
  double water = 0;  // photons of the background per unit of Σ weight, over sub-pixels and sources

  /// Edges of the cell in one domain, with the spindle at phi.
  Basis orientation(double phi, const Mat3& domain) const {
    return domain * Basis{rotate(cell.a, spindle, phi), rotate(cell.b, spindle, phi), rotate(cell.c, spindle, phi)};
  }
  double pixel_correction(int fast, int slow) const { return Plate::pixel_correction(sources[0], fast, slow); }
};

/// `begins` is called with the name of each stage as it begins. Once `cancel` is set the rest is left out, and the setup
/// is unusable. Throws ProblemError that names the field, the value and the allowed range, before anything is laid out.
Setup make_setup(
    const Problem& problem, const std::function<void(const char* stage)>& begins = [](const char*) {},
    const std::atomic<bool>& cancel = false);

}  // namespace bb::diffraction
