#pragma once

#include <span>
#include <vector>

#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::engine {

/// Solvers score a whole step in the cell of its node. Where a step along the beam axis is longer than a cell, the
/// nodes are cells apart and the scores a comb; each is then spread over the cells that the step around it crosses.
class StepSpread {
 public:
  StepSpread(const transport::Problem& problem, const transport::Tables& tables);

  /// Spreads a field [z][x] that steps have left. Content that would leave the grid stays in its border cells, which
  /// conserves the sum.
  void field(std::span<double> field) const;
  /// The same of dose, in which the way to the first node is no step.
  void dose(std::vector<double>& dose) const;
  /// Spreads the moments at the planes, [z][Crossing::kCount], carried along the axis to the planes that they go to.
  void crossing(std::vector<double>& crossing) const;

 private:
  struct Part {
    int z, x;      // cells from the node's
    double share;  // of the step
    double aside;  // mm in x from the node to the middle of the part
  };

  const transport::Tables& tables_;
  std::vector<Part> parts_;  // empty: a step stays within its cell
};

}  // namespace bb::engine
