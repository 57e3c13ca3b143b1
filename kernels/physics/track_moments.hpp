#pragma once

#include <vector>

#include "stopping.hpp"

namespace bb::physics {

/// Moments of a proton's track from an energy to its end in a medium: k = 0 its length (mm), k = 1 Σ L ds (MeV), k = 2
/// Σ L² ds (MeV²/mm), with L the unrestricted LET in water of density 1 g/cm³, keV/µm = MeV/mm.
///
/// LETt = Σ L ds / Σ ds and LETd = Σ L² ds / Σ L ds over the tracks in a volume (M. J. Berger, NISTIR 5226, 1993).
class TrackMoments {
 public:
  static constexpr int kCount = 3;

  /// `density` is that of the medium in g/cm³. The tables must outlive this object.
  TrackMoments(const StoppingTable& water, const StoppingTable& medium, double density);

  /// Moment `k` from `energy` (MeV) to the end of the track; 0 if there is no energy.
  double at(int k, double energy) const;
  /// Moment per MeV lost in the medium at `energy`: mm/MeV, dimensionless, 1/mm.
  double per_energy(int k, double energy) const;

 private:
  double within(int k, double from, double to) const;

  const StoppingTable& water_;
  const StoppingTable& medium_;
  double density_;
  std::vector<double> mesh_;             // MeV
  std::vector<double> moments_[kCount];  // integrals up to each mesh point
};

}  // namespace bb::physics
