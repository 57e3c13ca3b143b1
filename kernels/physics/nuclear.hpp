#pragma once

#include <cmath>

#include "hd.hpp"

// Bortfeld's linear attenuation model, Med. Phys. 24 (1997) 2024: the primary fluence falls as 1 + β R, with R the
// residual range. A fixed share of the lost energy is deposited locally.
namespace bb::physics {

inline constexpr double kFluenceLoss_cm2_g = 0.012;
inline constexpr double kNuclearLocalShare = 0.6;

/// Water-equivalent depth over which the deposited share builds up behind the entrance, about the range of a 45 MeV
/// secondary proton. Secondary protons carry most of that share and deposit it downstream (ICRU Report 63: 57 % of the
/// energy, against 6 % in heavier fragments and recoils).
inline constexpr double kNuclearBuildUp_g_cm2 = 2.0;

/// Fraction of the protons at the start of a step that are lost while the residual range falls
/// from `range_before` to `range_after` (g/cm²).
BB_HD constexpr double nuclear_loss(double range_before, double range_after) {
  return kFluenceLoss_cm2_g * (range_before - range_after) / (1.0 + kFluenceLoss_cm2_g * range_before);
}

/// Share of the lost energy that is deposited at `depth` (g/cm² of water since the entrance). Depositing the full share
/// from the surface on, as in Bortfeld's model, gives a peak-to-entrance ratio 17 % below Monte Carlo at 200 MeV; the
/// build-up gives 4 % above it.
BB_HD inline double nuclear_deposited_share(double depth) {
  return kNuclearLocalShare * (1.0 - exp(-depth / kNuclearBuildUp_g_cm2));
}

}  // namespace bb::physics
