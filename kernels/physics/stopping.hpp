#pragma once

#include <span>
#include <vector>

namespace bb::physics {

/// Mass stopping power and CSDA range of one material.
///
/// The table is interpolated by a natural cubic spline of ln S over ln T; beyond its ends it
/// continues along the end's slope. The range is the integral of 1/S over a fine logarithmic
/// mesh (Gauss-Legendre within each cell), with S ∝ T^-p below the first entry. Its inverse starts
/// from cubic Hermite interpolation over the same mesh and takes one step of Newton's method on that
/// integral. So range(energy_at(r)) == r to rounding.
class StoppingTable {
 public:
  /// `energies` in MeV, ascending; `stopping` in MeV cm²/g. Throws std::invalid_argument
  /// naming the first bad entry.
  StoppingTable(std::span<const double> energies, std::span<const double> stopping);

  /// Mass stopping power in MeV cm²/g at `energy` (MeV).
  double stopping(double energy) const;
  /// CSDA range in g/cm² at `energy` (MeV).
  double range(double energy) const;
  /// Energy in MeV of a proton with CSDA range `range` (g/cm²); 0 for range <= 0.
  double energy_at(double range) const;

 private:
  double slope_at(double log_energy) const;
  double log_stopping(double log_energy) const;
  /// The spline between entries `lo` and lo + 1.
  double log_stopping_between(std::size_t lo, double log_energy) const;
  /// ln S at a place of the mesh's cell `cell`, without a search.
  double log_stopping_in(std::size_t cell, double log_energy) const;
  /// Range up to a place of the mesh's cell `cell`, g/cm².
  double range_in(std::size_t cell, double log_energy) const;

  std::vector<double> x_, y_, y2_;  // ln T, ln S, second derivatives
  std::vector<double> mesh_;        // ln T of the range mesh
  std::vector<double> mesh_range_;  // g/cm² at the mesh points
  std::vector<double> mesh_slope_;  // d ln T / d range there, cm²/g
};

}  // namespace bb::physics
