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

/// Energies of the bins of residual range, MeV, for protons and for deuterons. A deuteron has twice the energy and
/// twice the range of a proton of the same speed.
struct SecondaryEnergies {
  SecondaryEnergies(const ReactionGrid& grid, const physics::StoppingTable& water);

  std::vector<double> proton, deuteron;
};

/// Table of the moments of protons' tracks in water by energy, because a spectrum needs many of them.
class MomentTable {
 public:
  using Moments = std::array<double, physics::TrackMoments::kCount>;

  MomentTable(const physics::TrackMoments& moments, double highest);

  Moments at(double energy) const;

 private:
  double step_;  // step of the square root of the energy
  std::vector<Moments> values_;
};

/// Numbers by bin, for the range of bins that are not zero.
struct BinShares {
  int first = 0;
  std::vector<double> number;
};

/// Bins at whose energies spectra are computed. Their distance is a share of their residual range. Products of a
/// reaction between two nodes are split over both, which conserves number and energy.
std::vector<int> emission_nodes(int bins);

/// Mean products of one non-elastic reaction, or of one collision with hydrogen, of a proton in one bin.
struct Yield {
  BinShares deuterons;                                  // straight ahead
  BinShares ahead;                                      // protons straight ahead, of reactions and collisions
  std::array<BinShares, physics::kAngleClasses> aside;  // other protons by class of angles
  double wide = 0;                                      // MeV of protons at larger angles
  BinShares protons;                                    // protons at all angles together
  double local = 0;                                     // MeV deposited in place: alphas and recoils
  // Moments of tracks in water that are missing in the bins of `ahead` and `aside`, or in those of `protons`: from
  // protons that end within the lowest bin, or have larger angles.
  MomentTable::Moments beyond_aside{}, beyond{};
  double neutral = 0;  // MeV of neutrons, photons and binding energy
};

/// Products of one elastic scattering of a proton in one bin in a material.
struct ElasticProducts {
  struct ProductBin {
    int angle = 0, bin = 0;
    double number = 0;
  };
  std::vector<ProductBin> landings;
  std::array<int, physics::kAngleClasses> reach{};  // by angle: end of the bins
  double local = 0;                                 // MeV deposited in place: recoils, and products at larger angles
};

/// Runs tasks 0 … n - 1, in parallel if there are several cores.
using Tasks = std::function<void(int n, const std::function<void(int task)>&)>;

/// Yields of nuclei, from which the yields of materials are combined.
class NucleusYields {
 public:
  /// Computes the yields of the nuclei of `matters` at the bins `nodes`, with the missing moments of tracks if
  /// `moments` is given. `energies`, and the tables of the matters, must outlive this object.
  NucleusYields(std::span<const NuclearMatter> matters, const SecondaryEnergies& energies, std::vector<int> nodes,
                const Tasks& tasks, const MomentTable* moments = nullptr);

  /// Yields in one material, one for each node.
  std::vector<Yield> of(const NuclearMatter& matter) const;

 private:
  const SecondaryEnergies& energies_;
  std::vector<int> nodes_;
  std::map<const physics::NuclearTable*, std::vector<Yield>> nuclei_;  // by node, times the cross section in barn
  std::vector<Yield> collisions_;                                      // by node, for two protons
};

/// Elastic scattering in one material, by bin.
std::vector<ElasticProducts> elastic_scattering(const NuclearMatter& matter, const SecondaryEnergies& energies);

}  // namespace bb::transport
