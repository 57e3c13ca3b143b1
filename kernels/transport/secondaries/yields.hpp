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

/// Yields of every bin, for one material.
std::vector<Yield> yields(const NuclearMatter& matter, const SecondaryEnergies& energies);

}  // namespace bb::transport
