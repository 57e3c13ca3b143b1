#pragma once

#include <array>
#include <vector>

#include "physics/icru63.hpp"
#include "transport/model/nuclear_matter.hpp"
#include "transport/model/reaction_grid.hpp"

namespace bb::transport {

/// Energies of the bins of residual range, MeV, for protons and for deuterons: a deuteron has twice the energy and twice
/// the range of a proton as fast as it.
struct SecondaryEnergies {
  SecondaryEnergies(const ReactionGrid& grid, const physics::StoppingTable& water);

  std::vector<double> proton, deuteron;
};

/// Numbers by bin, of which only a part is not zero.
struct BinShares {
  int first = 0;
  std::vector<double> number;
};

/// What one reaction of a proton of one bin leaves behind in a material, mean of the kinds of reactions.
struct Yield {
  BinShares protons, deuterons;                               // straight ahead
  std::array<BinShares, physics::kElasticClasses> deflected;  // elastically, by angle
  double local = 0;                                           // MeV that stay: alphas, recoils, too wide or too slow
  double neutral = 0;                                         // MeV of neutrons, photons and binding
};

/// Yields of every nucleus that has a table, from which those of materials are put together.
class NucleusYields {
 public:
  /// `tables` must outlive it.
  NucleusYields(const std::vector<physics::NuclearTable>& tables, const SecondaryEnergies& energies);

  /// Yields in one material, by bin.
  std::vector<Yield> of(const NuclearMatter& matter) const;

 private:
  const std::vector<physics::NuclearTable>& tables_;
  const SecondaryEnergies& energies_;
  std::vector<std::vector<Yield>> nuclei_;  // [tables][bins], times the cross section in barn
  std::vector<Yield> collisions_;           // [bins], of two protons
};

}  // namespace bb::transport
