#pragma once

#include <utility>
#include <vector>

#include "detector.hpp"
#include "physics/pixel.hpp"
#include "physics/polarisation.hpp"
#include "sources.hpp"
#include "structure_factors.hpp"
#include "unit_cell.hpp"

namespace bb::diffraction {

/// Everything that the inner loops need, in FP64 and SI units; made once per run, the same for every variant.
struct Setup {
  explicit Setup(StructureFactors factors) : structure(std::move(factors)) {}

  int width = 0, height = 0;
  int oversample = 1, layers = 1;
  double pixel = 0, subpixel = 0, layer = 0, attenuation_depth = 0;  // m
  Detector detector;
  std::vector<Source> sources;
  double kahn = 0;
  std::vector<Vec3> magnetic, electric;  // of each source's wave, unit vectors

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
  double scale = 0;  // photons per unit of Σ F², over the steps
  double water = 0;  // photons of the background per unit of Σ weight, over sub-pixels and sources

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
  /// The whole surface absorbs at once.
  bool thin() const { return attenuation_depth <= 0.0; }

  /// Centre of a sub-pixel, counted over the whole detector, in the middle of a layer.
  Vec3 position(int fast, int slow, int depth) const {
    const double f = subpixel * fast + 0.5 * subpixel, s = subpixel * slow + 0.5 * subpixel;
    const Vec3 surface = f * detector.fast + s * detector.slow + detector.origin;
    return thin() ? surface : surface + (layer * (depth + 0.5)) * detector.normal;
  }
  double solid_angle(double path) const { return physics::solid_angle(pixel, path, detector.close); }
  double polarisation(std::size_t source, Vec3 direction) const {
    return physics::polarisation_factor(dot(sources[source].incident, direction), dot(direction, magnetic[source]),
                                        dot(direction, electric[source]), kahn);
  }
  /// Solid angle and polarisation of a whole pixel: at its first sub-pixel's surface, for the first source.
  double pixel_correction(int fast, int slow) const {
    const Vec3 at = (subpixel * fast * oversample + 0.5 * subpixel) * detector.fast +
                    (subpixel * slow * oversample + 0.5 * subpixel) * detector.slow + detector.origin;
    const double path = length(at);
    return polarisation(0, (1.0 / path) * at) * solid_angle(path);
  }
  double absorbed(int depth, Vec3 direction) const {
    if (thin()) return 1.0;
    return physics::absorbed_share(layer * depth, layer * (depth + 1), attenuation_depth,
                                   dot(direction, detector.normal));
  }
};

/// Throws ProblemError that names the field, the value and what is allowed.
Setup make_setup(const Problem& problem);

}  // namespace bb::diffraction
