#pragma once

#include <span>
#include <vector>

#include "stopping_view.hpp"

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
  double stopping(double energy) const { return view().stopping(energy); }
  /// CSDA range in g/cm² at `energy` (MeV).
  double range(double energy) const { return view().range(energy); }
  /// Energy in MeV of a proton with CSDA range `range` (g/cm²); 0 for range <= 0.
  double energy_at(double range) const { return view().energy_at(range); }

  /// View of the table's arrays, which live as long as the table.
  StoppingView view() const {
    return {x_.data(),    y_.data(),          y2_.data(),         static_cast<int>(x_.size()),
            mesh_.data(), mesh_range_.data(), mesh_slope_.data(), static_cast<int>(mesh_.size())};
  }

 private:
  std::vector<double> x_, y_, y2_;  // ln T, ln S, second derivatives
  std::vector<double> mesh_;        // ln T of the range mesh
  std::vector<double> mesh_range_;  // g/cm² at the mesh points
  std::vector<double> mesh_slope_;  // d ln T / d range at the mesh points, cm²/g
};

}  // namespace bb::physics
