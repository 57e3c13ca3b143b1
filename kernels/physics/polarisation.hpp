#pragma once

#include "hd.hpp"

namespace bb::physics {

/// Polarisation factor of Kahn et al., J. Appl. Cryst. 15 (1982) 330: (1 + cos² 2θ - K cos 2ψ sin² 2θ) / 2.
/// `along_b` and `along_e` are the components of the scattered direction along the magnetic and the electric
/// field; ψ is the angle from the electric one. K = 0 for an unpolarised beam, ±1 for a fully polarised one.
BB_HD inline double polarisation_factor(double cos_2theta, double along_b, double along_e, double kahn) {
  const double cos2 = cos_2theta * cos_2theta;
  const double across = along_b * along_b + along_e * along_e;
  // cos 2ψ = cos²ψ - sin²ψ; straight ahead there is no ψ, and sin² 2θ is 0.
  const double cos_2psi = across > 0.0 ? (along_e * along_e - along_b * along_b) / across : 0.0;
  return 0.5 * (1.0 + cos2 - kahn * cos_2psi * (1.0 - cos2));
}

}  // namespace bb::physics
