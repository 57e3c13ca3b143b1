#pragma once

#include "hd.hpp"

// Bortfeld's linear attenuation model, Med. Phys. 24 (1997) 2024: the primary fluence falls as
// 1 + β R, with R the residual range; a fixed share of the lost energy stays where it was lost.
namespace bb::physics {

inline constexpr double kFluenceLoss_cm2_g = 0.012;
inline constexpr double kNuclearLocalShare = 0.6;

/// Fraction of the protons at the start of a step that are lost while the residual range falls
/// from `range_before` to `range_after` (g/cm²).
BB_HD constexpr double nuclear_loss(double range_before, double range_after) {
  return kFluenceLoss_cm2_g * (range_before - range_after) / (1.0 + kFluenceLoss_cm2_g * range_before);
}

}  // namespace bb::physics
