#pragma once

#include <cmath>

#include "hd.hpp"

// Geometry of one pixel of a flat detector.
namespace bb::physics {

/// Solid angle in sr of a square pixel of edge `pixel` at distance `path` from the crystal, in a plane at distance
/// `close`: pixel²/R² · close/R. Holds for pixels small against the distance.
BB_HD inline double solid_angle(double pixel, double path, double close) {
  return pixel * pixel / (path * path) * (close / path);
}

/// Share of the photons that a layer from `top` to `bottom` (m below the surface) absorbs, by Beer and Lambert's law.
/// `cos_incidence` is relative to the normal; `depth` attenuates to 1/e.
BB_HD inline double absorbed_share(double top, double bottom, double depth, double cos_incidence) {
  const double scale = 1.0 / (depth * cos_incidence);
  return std::exp(-top * scale) - std::exp(-bottom * scale);
}

/// Polarisation factor of Kahn et al., J. Appl. Cryst. 15 (1982) 330: (1 + cos² 2θ - K cos 2ψ sin² 2θ) / 2.
/// `along_b` and `along_e` are the components of the scattered direction along the magnetic and the electric
/// field; ψ is the angle from the electric one. K = 0 for an unpolarised beam, ±1 for a fully polarised one.
template <typename T>
BB_HD inline T polarisation_factor(T cos_2theta, T along_b, T along_e, T kahn) {
  const T cos2 = cos_2theta * cos_2theta;
  if (kahn == T(0)) return T(0.5) * (T(1) + cos2);
  const T across = along_b * along_b + along_e * along_e;
  // cos 2ψ = cos²ψ - sin²ψ; straight ahead ψ is undefined, but sin² 2θ is 0.
  const T cos_2psi = across > T(0) ? (along_e * along_e - along_b * along_b) / across : T(0);
  return T(0.5) * (T(1) + cos2 - kahn * cos_2psi * (T(1) - cos2));
}

}  // namespace bb::physics
