#pragma once

#include <memory>
#include <vector>

#include "physics/icru63.hpp"
#include "problem.hpp"

namespace bb::transport {

/// The nuclei of one material. Elements without a table of their own take the one that is nearest in Z, with cross
/// sections as A^2/3; hydrogen only scatters.
class NuclearMatter {
 public:
  struct Nucleus {
    const physics::NuclearTable* table;
    double per_gram_barn;  // cm²/g for a cross section of 1 b
  };

  /// `tables` must outlive it. Throws ProblemError('invalid') for elements that do not exist or a composition without any.
  NuclearMatter(const Material& material, const std::vector<physics::NuclearTable>& tables);

  /// Cross sections, cm²/g: of all that is followed, and of its parts.
  double removal(double energy) const { return emitting(energy) + elastic(energy); }
  double emitting(double energy) const;  // of non-elastic reactions and of collisions with hydrogen
  double elastic(double energy) const;   // of elastic scattering by the other nuclei
  double proton_proton(double energy) const;
  const std::vector<Nucleus>& nuclei() const { return nuclei_; }

 private:
  std::vector<Nucleus> nuclei_;
  double hydrogen_ = 0;  // mass fraction over that of water
};

/// The tables of a problem. The last parsed ones are cached: a process solves with the same files repeatedly. Throws
/// ProblemError('invalid').
std::shared_ptr<const std::vector<physics::NuclearTable>> nuclear_tables(const Problem& problem);

}  // namespace bb::transport
