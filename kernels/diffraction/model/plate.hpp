#pragma once

#include "physics/pixel.hpp"
#include "vec3.hpp"

namespace bb::diffraction {

enum class Shape { kSquare, kRound, kGauss, kTophat };
enum class Lookup { kNearest, kTricubic };
/// Points at which solid angle and polarisation are evaluated: once per pixel (at its first sub-pixel, for the first
/// source), or for every sub-pixel and source.
enum class Corrections { kPixel, kSubpixel };

/// A flat detector in the laboratory frame, metres.
struct Detector {
  Vec3 fast, slow, normal;  // unit vectors
  Vec3 origin;              // outer corner of pixel (0, 0)
  double close = 0;         // nearest distance of the detector's plane from the crystal
};

/// One direction and wavelength of the incident beam. All sources have the same weight.
struct Source {
  Vec3 incident;            // unit vector
  double wavelength;        // m
  Vec3 magnetic, electric;  // directions of the fields, unit vectors
};

/// Positions and weights of the sub-pixels, in FP64 and SI units, on host and device.
struct Plate {
  int width = 0, height = 0;
  int oversample = 1, layers = 1;
  double pixel = 0, subpixel = 0, layer = 0, attenuation_depth = 0;  // m
  Detector detector;
  double kahn = 0;

  /// True if all photons are absorbed at the surface.
  BB_HD bool thin() const { return attenuation_depth <= 0.0; }

  /// Centre of a sub-pixel in the middle of a layer; sub-pixels are numbered over the whole detector.
  BB_HD Vec3 position(int fast, int slow, int depth) const {
    const double f = subpixel * fast + 0.5 * subpixel, s = subpixel * slow + 0.5 * subpixel;
    const Vec3 surface = f * detector.fast + s * detector.slow + detector.origin;
    return thin() ? surface : surface + (layer * (depth + 0.5)) * detector.normal;
  }
  BB_HD double solid_angle(double path) const { return physics::solid_angle(pixel, path, detector.close); }
  BB_HD double polarisation(const Source& source, Vec3 direction) const {
    return physics::polarisation_factor(dot(source.incident, direction), dot(direction, source.magnetic),
                                        dot(direction, source.electric), kahn);
  }
  /// Solid angle and polarisation of a whole pixel, evaluated on the surface at its first sub-pixel, for the first
  /// source.
  BB_HD double pixel_correction(const Source& first, int fast, int slow) const {
    const Vec3 at = (subpixel * fast * oversample + 0.5 * subpixel) * detector.fast +
                    (subpixel * slow * oversample + 0.5 * subpixel) * detector.slow + detector.origin;
    const double path = length(at);
    return polarisation(first, (1.0 / path) * at) * solid_angle(path);
  }
  BB_HD double absorbed(int depth, Vec3 direction) const {
    if (thin()) return 1.0;
    return physics::absorbed_share(layer * depth, layer * (depth + 1), attenuation_depth,
                                   dot(direction, detector.normal));
  }
};

}  // namespace bb::diffraction
