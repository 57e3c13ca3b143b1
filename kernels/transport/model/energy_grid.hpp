#pragma once

#include <functional>
#include <vector>

#include "physics/moment_kernel.hpp"
#include "physics/stopping.hpp"
#include "problem.hpp"

namespace bb::transport {

/// The energy bins of a problem. `range` grids are uniform in water-equivalent residual range and
/// anchored so that the beam starts on a bin centre; `uniform` grids are uniform in energy.
class EnergyGrid {
 public:
  /// The grid reaches this many standard deviations above a beam with an energy spread.
  static constexpr double kBeamSigmas = 5.0;

  /// `start_energy` is the beam's energy (MeV) at the first node; the grid holds energies to `top_energy`, and `guard`
  /// bins above.
  EnergyGrid(const GridSpec& spec, const physics::StoppingTable& water, double start_energy, double top_energy,
             int guard);

  int size() const { return static_cast<int>(energies_.size()); }
  const std::vector<double>& energies() const { return energies_; }
  /// Energy (MeV) that a proton of each bin holds: the bins' energies, but for the last ones of a range grid.
  const std::vector<double>& held() const { return held_; }
  /// Another quantity that ascends with the energy from 0, held by a proton of each bin, likewise.
  std::vector<double> held(const std::function<double(double energy)>& value) const;
  /// First bin at or above the cutoff, on a range grid less half a bin; content that lands below it has stopped.
  int first_alive() const { return first_alive_; }

  EnergyGridKind kind() const { return kind_; }
  /// Range grids only.
  RangeAxis range_axis() const { return {water_.view(), bottom_, step_}; }
  double cutoff() const { return cutoff_; }  // MeV

  /// Energy (MeV) of a bin or of a place between two, also below the lowest; as far below zero as its range or energy is.
  double energy_at(double bin) const;
  /// Fractional bin index of an energy (MeV).
  double index_of(double energy) const;
  /// Variance in bins² of an energy spread `variance` (MeV²) about `energy` (MeV).
  double variance_in_bins(double energy, double variance) const;
  /// Kernel over bins for content that ends at `energy` with spread `variance` (MeV²).
  physics::MomentKernel kernel(double energy, double variance) const;
  /// True where content at `energy` (MeV) after a step has stopped without a look at the bins: on a uniform grid,
  /// nearer to the bins below the cutoff.
  bool stops(double energy) const;
  /// Variance, as residual range in mm² of water, that kernel() has beyond the requested one.
  double excess_variance(double energy, double variance) const;

 private:
  const physics::StoppingTable& water_;
  EnergyGridKind kind_;
  double step_;    // g/cm² of water, or MeV
  double bottom_;  // range (g/cm²) or energy (MeV) of bin 0
  double cutoff_;
  int first_alive_ = 0;
  std::vector<double> energies_, held_;
};

}  // namespace bb::transport
