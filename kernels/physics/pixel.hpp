#pragma once

#include <cmath>

#include "hd.hpp"

// Geometry of one pixel of a flat detector.
namespace bb::physics {

/// Solid angle of a square pixel of edge `pixel` at `path` from the crystal, in a plane `close` away; sr, for
/// pixels small against the distance: pixel²/R² · close/R.
BB_HD inline double solid_angle(double pixel, double path, double close) {
  return pixel * pixel / (path * path) * (close / path);
}

/// Share of the photons that a layer from `top` to `bottom` (m below the surface) absorbs; of light at
/// `cos_incidence` to the normal in matter that attenuates to 1/e over `depth`: Beer and Lambert's law.
BB_HD inline double absorbed_share(double top, double bottom, double depth, double cos_incidence) {
  const double scale = 1.0 / (depth * cos_incidence);
  return std::exp(-top * scale) - std::exp(-bottom * scale);
}

}  // namespace bb::physics
