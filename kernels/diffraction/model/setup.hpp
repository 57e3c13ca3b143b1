#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "crystal.hpp"
#include "plate.hpp"
#include "problem.hpp"
#include "vec3.hpp"

// MOSFLM's laboratory frame: x along the beam, z along the spindle.
namespace bb::diffraction::frame {

inline constexpr Vec3 kBeam{1, 0, 0};
inline constexpr Vec3 kFast{0, 0, 1};
inline constexpr Vec3 kSlow{0, -1, 0};
inline constexpr Vec3 kNormal{1, 0, 0};
inline constexpr Vec3 kTwotheta{0, 0, -1};
inline constexpr Vec3 kPolarisation{0, 0, 1};
inline constexpr Vec3 kSpindle{0, 0, 1};

}  // namespace bb::diffraction::frame

namespace bb::diffraction {

/// Computes the detector's frame. Rotations pivot about the point where the beam hits the detector, so the beam always
/// passes through (beam_x, beam_y) at `distance`. The beam centre is shifted by half a pixel, as in MOSFLM. Throws
/// ProblemError('invalid') for a detector that faces away from the crystal.
Detector place_detector(const DetectorSpec& spec);

/// Number of sub-pixels per side that resolve the fringes of a crystal whose longest edge is `edge` metres.
int needed_oversampling(double edge, const DetectorSpec& spec, double wavelength);

/// Sources of a divergent beam: a grid of directions in an ellipse of the given full ranges, each at every wavelength
/// of the dispersion.
std::vector<Source> make_sources(const Beam& beam);

/// Number of sources.
std::size_t count_sources(const Beam& beam);

/// Properties of a setup that are known before any of its tables are allocated: sizes, and the criteria for choosing a
/// variant.
struct Outline : Plate {
  double na = 1, nb = 1, nc = 1;
  Shape shape = Shape::kSquare;
  Lookup lookup = Lookup::kNearest;
  Corrections corrections = Corrections::kPixel;
  std::string device;  // GPU by index or UUID; "": the default one
  std::size_t source_count = 0, domain_count = 0, phi_count = 0;
  unsigned nh = 0, nk = 0, nl = 0;  // size of the box of structure factors

  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  double orientation_count() const { return static_cast<double>(domain_count) * static_cast<double>(phi_count); }
  /// Number of lattice factors that one pixel needs.
  double terms_per_pixel() const {
    return static_cast<double>(oversample) * oversample * layers * static_cast<double>(source_count) *
           orientation_count();
  }
  /// Bytes of all tables that are allocated before the image starts, and of the image.
  double table_bytes() const { return sizeof(double) * (static_cast<double>(nh) * nk * nl); }
  double bytes() const { return image_bytes() + table_bytes() + source_bytes() + orientation_bytes(); }
  double image_bytes() const { return sizeof(double) * static_cast<double>(pixels()); }
  double source_bytes() const { return sizeof(Source) * static_cast<double>(source_count); }
  double orientation_bytes() const {
    return sizeof(Basis) * orientation_count() + sizeof(Mat3) * static_cast<double>(domain_count) +
           sizeof(double) * static_cast<double>(phi_count);
  }
};

/// Allocates no memory. Throws ProblemError that names the field, the value and the allowed range; 'memory' if the
/// problem needs more than its limit.
Outline outline_of(const Problem& problem);

/// Consecutive pixels of a row.
struct RowPart {
  int slow, fast, count;
};

/// All inputs of the inner loops, in FP64 and SI units; made once per run, the same for every variant.
struct Setup : Outline {
  Setup(Outline outline, StructureFactors factors) : Outline(std::move(outline)), structure(std::move(factors)) {}

  std::vector<Source> sources;

  Basis cell;  // mounted cell, before phi and mosaic
  Vec3 spindle;
  std::vector<double> phis;  // rad
  std::vector<Mat3> domains;
  std::vector<Basis> orientations;  // of the cell, in metres; phi slow, domain fast

  StructureFactors structure;
  double scale = 0;  // photons per unit of Σ F², divided by the number of steps
  double water = 0;  // photons of the background per unit of Σ weight, over sub-pixels and sources

  /// Cell edges in one mosaic domain, with the spindle at phi.
  Basis orientation(double phi, const Mat3& domain) const {
    return domain * Basis{rotate(cell.a, spindle, phi), rotate(cell.b, spindle, phi), rotate(cell.c, spindle, phi)};
  }
  double pixel_correction(int fast, int slow) const { return Plate::pixel_correction(sources[0], fast, slow); }
};

/// Calls `begins` with the name of each stage as it starts. If `cancel` is set, the setup is incomplete and must not be
/// used. Throws ProblemError that names the field, the value and the allowed range, before any allocation.
Setup make_setup(
    const Problem& problem, const std::function<void(const char* stage)>& begins = [](const char*) {},
    const std::atomic<bool>& cancel = false);

}  // namespace bb::diffraction
