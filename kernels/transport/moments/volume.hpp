#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Position y of a spot on the axis that the plane integrates over, and its standard deviation in y at the entrance,
/// mm.
struct AlongY {
  double y = 0, sigma = 0;
};

/// Cells across the beam, centred at x = y = 0. The rows in depth are those of the problem.
struct LateralGrid {
  int nx = 0, ny = 0;
  double dx = 0, dy = 0;  // mm
};

/// Dose in three dimensions, and the remaining energy, MeV.
struct VolumeDose {
  std::vector<double> dose;        // [z][y][x]
  std::vector<double> depth_dose;  // [z] deposited in a row, inside and outside the cells
  double energy_in = 0;
  double outside = 0;  // deposited outside the cells
  double neutral = 0;  // neutrons, photons and binding energy, or energy removed by attenuation
  double left = 0;     // energy that left beyond the last row, or to the sides with products
  /// Energy deposited by products of reactions, and the sum of deviations of the fitted Gaussians from the projected
  /// dose.
  double products = 0, misfit = 0;

  double rel_error() const;
};

/// Cancels a computation from another thread, and counts what is finished.
struct VolumeControl {
  std::atomic<bool> cancelled{false};
  std::atomic<int> kinds{0}, solved{0};  // kinds of spots
  std::atomic<int> summed{0};            // planes of depth with a dose
};

/// Dose of spots in layered materials. In every row the beam is a sum of products of Gaussians in x and y, whose
/// variances are those of the march. Products of reactions are isotropic around their spot, so their dose follows from
/// its projection on x: a sum of isotropic Gaussians with non-negative weights is fitted to it by least squares. Throws
/// ProblemError if straight_moments_refusal() returns a reason, and Cancelled soon after `control` is cancelled.
/// `along_y`: one entry for each of spots_of(problem).
VolumeDose volume_dose(const Problem& problem, std::span<const AlongY> along_y, const LateralGrid& across,
                       VolumeControl& control);

}  // namespace bb::transport
