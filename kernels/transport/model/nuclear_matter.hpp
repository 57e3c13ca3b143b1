#pragma once

#include <memory>
#include <vector>

#include "physics/icru63.hpp"
#include "problem.hpp"

namespace bb::transport {

/// The nuclei of one material. An element without its own table uses the table of the element nearest in Z, with cross
/// sections scaled as A^2/3. Hydrogen only scatters.
class NuclearMatter {
 public:
  struct Nucleus {
    const physics::NuclearTable* table;
    double per_gram_barn;  // cm²/g for a cross section of 1 b
  };

  /// `tables` must outlive this object. Throws ProblemError('invalid') for elements that do not exist or a composition
  /// without any.
  NuclearMatter(const Material& material, const std::vector<physics::NuclearTable>& tables);

  /// Cross sections, cm²/g: the sum of all followed processes, then its two parts.
  double removal(double energy) const { return emitting(energy) + elastic(energy); }
  double emitting(double energy) const;  // non-elastic reactions and collisions with hydrogen
  double elastic(double energy) const;   // elastic scattering by nuclei other than hydrogen
  double proton_proton(double energy) const;
  const std::vector<Nucleus>& nuclei() const { return nuclei_; }

 private:
  std::vector<Nucleus> nuclei_;
  double hydrogen_ = 0;  // mass fraction relative to that of water
};

/// The tables of a problem. The tables that were parsed last are cached, because a process solves with the same files
/// repeatedly. Throws ProblemError('invalid').
std::shared_ptr<const std::vector<physics::NuclearTable>> nuclear_tables(const Problem& problem);

}  // namespace bb::transport
