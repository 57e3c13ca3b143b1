#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "transport/model/problem.hpp"

namespace bb::transport {

/// Place of a spot on the axis that the plane sums over, and its standard deviation there at the entrance. mm.
struct AlongY {
  double y = 0, sigma = 0;
};

/// Cells across the beam, about x = y = 0; rows of depth are those of the problem.
struct AcrossGrid {
  int nx = 0, ny = 0;
  double dx = 0, dy = 0;  // mm
};

/// A dose in three dimensions, and where the rest of the energy went. MeV.
struct VolumeDose {
  std::vector<double> dose;        // [z][y][x]
  std::vector<double> depth_dose;  // [z] deposited in a row, inside and outside of the cells
  double energy_in = 0;
  double outside = 0;  // deposited outside of the cells
  double neutral = 0;  // of neutrons, photons and binding, or taken away by attenuation
  double left = 0;     // behind the last row, or by products to the sides
  /// Deposited by products of reactions, and the sum of how far the Gaussians are from their projected dose.
  double products = 0, misfit = 0;

  double rel_error() const;
};

/// Dose of spots in layered matter. In every row the beam is a sum of products of Gaussians of x and of y, whose variances
/// are those of the march. Products of reactions are isotropic about their spot, so that their dose follows from its
/// projection on x: a sum of isotropic Gaussians with non-negative weights that fits it by least squares.
/// Throws ProblemError where moments_refusal() has a reason; Cancelled soon after `cancel` is true.
/// `along_y`: one for each of spots_of(problem).
VolumeDose volume_dose(const Problem& problem, std::span<const AlongY> along_y, const AcrossGrid& across,
                       const std::atomic<bool>& cancel);

}  // namespace bb::transport
