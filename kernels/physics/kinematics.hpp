#pragma once

#include "constants.hpp"
#include "hd.hpp"

namespace bb::physics {

/// Lorentz factor of a proton of kinetic energy `energy` (MeV).
BB_HD constexpr double gamma(double energy) { return 1.0 + energy / kProtonMass_MeV; }

/// Squared velocity in units of c of a proton of kinetic energy `energy` (MeV).
BB_HD constexpr double beta_squared(double energy) {
  const double g = gamma(energy);
  return 1.0 - 1.0 / (g * g);
}

/// Momentum times velocity, MeV, of a proton of kinetic energy `energy` (MeV).
BB_HD constexpr double pv(double energy) {
  return energy * (energy + 2.0 * kProtonMass_MeV) / (energy + kProtonMass_MeV);
}

}  // namespace bb::physics
