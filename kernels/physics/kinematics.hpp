#pragma once

#include "hd.hpp"

// Constants of nature, CODATA 2018 rounded to the digits that matter here.
namespace bb::physics {

inline constexpr double kProtonMass_MeV = 938.272;

/// 4π N_A r_e² (m_e c²)² per (Z/A): Bohr's straggling constant, MeV² cm²/g.
inline constexpr double kBohr_MeV2_cm2_g = 0.1569;

/// Scattering energy in Rossi's and in Gottschalk's differential formula, MeV.
inline constexpr double kScatteringEnergy_MeV = 15.0;

/// Highland's scattering energy for the plane angle, MeV.
inline constexpr double kHighlandEnergy_MeV = 14.1;

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
