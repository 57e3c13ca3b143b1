#pragma once

#include <span>
#include <vector>

#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::engine {

/// Solvers score a whole step in the cell of its node. If steps along the beam axis are longer than a cell, nodes are
/// several cells apart and the scores form a comb. This class spreads each score over the cells that its step crosses.
class StepSpread {
 public:
  StepSpread(const transport::Problem& problem, const transport::Tables& tables);

  /// Spreads a field [z][x] of step scores. Content that would leave the grid stays in its border cells, which
  /// conserves the sum.
  void field(std::span<double> field) const;
  /// Spreads a dose, except the dose of the entry path.
  void dose(std::vector<double>& dose) const;
  /// Spreads the moments [z][Crossing::kCount] at the planes, which are extrapolated along the axis to their new
  /// planes.
  void crossing(std::vector<double>& crossing) const;

 private:
  struct Part {
    int z, x;      // in cells relative to the node's
    double share;  // share of the step
    double aside;  // mm in x between the node and the middle of the part
  };

  const transport::Tables& tables_;
  std::vector<Part> parts_;  // empty if a step stays within its cell
};

/// Planes are scored before the scattering of their step, so their <θ²> [z][Crossing::kCount] is too small by half a
/// step. The value after a plane's scattering is the one that the next plane scores. The mean of the two values is
/// correct to second order in the step.
void centre_angles(const transport::Problem& problem, const transport::Tables& tables, std::vector<double>& crossing);

}  // namespace bb::engine
