#pragma once

#include "hd.hpp"
#include "kinematics.hpp"

namespace bb::physics {

/// Bohr's energy straggling with the relativistic factor, dσ_E²/d(ρs) in MeV² per (g/cm²).
BB_HD constexpr double bohr_straggling(double energy, double z_over_a) {
  const double g = gamma(energy);
  return kBohr_MeV2_cm2_g * z_over_a * g * g * (1.0 - 0.5 * beta_squared(energy));
}

}  // namespace bb::physics
