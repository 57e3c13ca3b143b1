#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "physics/icru63.hpp"
#include "physics/track_moments.hpp"
#include "transport/model/nuclear_matter.hpp"
#include "transport/model/reaction_grid.hpp"

namespace bb::transport {

/// Energies of the bins of residual range, MeV, for protons and for deuterons: a deuteron has twice the energy and twice
/// the range of a proton as fast as it.
struct SecondaryEnergies {
  SecondaryEnergies(const ReactionGrid& grid, const physics::StoppingTable& water);

  std::vector<double> proton, deuteron;
};

/// Moments of protons' tracks in water by energy, looked up: a spectrum asks for many.
class MomentTable {
 public:
  using Moments = std::array<double, physics::TrackMoments::kCount>;

  MomentTable(const physics::TrackMoments& moments, double highest);

  Moments at(double energy) const;

 private:
  double step_;  // of the square root of the energy
  std::vector<Moments> values_;
};

/// Numbers by bin, of which only a part is not zero.
struct BinShares {
  int first = 0;
  std::vector<double> number;
};

/// Bins at whose energies spectra are computed. They are a share of their residual range apart: products of a reaction
/// between two are split over both, which conserves number and energy.
std::vector<int> emission_nodes(int bins);

/// Mean products of one non-elastic reaction, or collision with hydrogen, of a proton of one bin.
struct Yield {
  BinShares deuterons;                                  // straight ahead
  BinShares ahead;                                      // protons of non-elastic reactions and of collisions with
  std::array<BinShares, physics::kAngleClasses> aside;  // hydrogen, by angle
  double wide = 0;                                      // MeV of those that go further sideways
  BinShares protons;                                    // the same, whatever their angle
  double local = 0;                                     // MeV that stay: alphas and recoils
  // Moments of tracks in water that the bins of `ahead` and `aside`, or those of `protons`, do not hold: of protons
  // that end within the lowest bin, or go further sideways.
  MomentTable::Moments beyond_aside{}, beyond{};
  double neutral = 0;  // MeV of neutrons, photons and binding
};

/// Products of one elastic scattering of a proton of one bin in a material.
struct Scattered {
  struct Landing {
    int angle = 0, bin = 0;
    double number = 0;
  };
  std::vector<Landing> landings;
  std::array<int, physics::kAngleClasses> reach{};  // by angle: one more than the highest bin
  double local = 0;                                 // MeV that stay: recoils, and products that go further sideways
};

/// Runs tasks 0 … n - 1, at the same time where there are cores.
using Tasks = std::function<void(int n, const std::function<void(int task)>&)>;

/// Yields of nuclei, from which those of materials are put together.
class NucleusYields {
 public:
  /// Makes those of the nuclei of `matters` at the bins `nodes`, with what their bins do not hold of tracks where there
  /// are `moments`. `energies`, and the tables that the matters were made of, must outlive it.
  NucleusYields(std::span<const NuclearMatter> matters, const SecondaryEnergies& energies, std::vector<int> nodes,
                const Tasks& tasks, const MomentTable* moments = nullptr);

  /// Yields in one material, by node.
  std::vector<Yield> of(const NuclearMatter& matter) const;

 private:
  const SecondaryEnergies& energies_;
  std::vector<int> nodes_;
  std::map<const physics::NuclearTable*, std::vector<Yield>> nuclei_;  // by node, times the cross section in barn
  std::vector<Yield> collisions_;                                      // by node, of two protons
};

/// Elastic scattering in one material, by bin.
std::vector<Scattered> elastic_scattering(const NuclearMatter& matter, const SecondaryEnergies& energies);

}  // namespace bb::transport
