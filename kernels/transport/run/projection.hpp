#pragma once

#include <span>
#include <vector>

#include "solver.hpp"

// ψ reduced to two axes for display, without a copy of the whole of ψ.
namespace bb::engine {

/// Throws ProblemError('invalid') for an axis that is given twice or is both shown and cut, or for an index outside the
/// grid.
void check(const PlaneRequest& request, const transport::Tables& tables);

/// Returns the planes in the order of the requests.
std::vector<Plane> project(Solver& solver, const transport::Tables& tables, std::span<const PlaneRequest> requests);

/// Sums all six pairs of axes and the mean depth, in one pass over the rows that the solver visits.
void sum_marginals(const Solver& solver, const transport::Tables& tables, Marginals& out);

}  // namespace bb::engine
