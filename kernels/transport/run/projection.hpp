#pragma once

#include <span>
#include <vector>

#include "planes.hpp"
#include "solver.hpp"

// ψ reduced to two axes for the screen: it is never copied whole.
namespace bb::engine {

/// Throws ProblemError('invalid') for an axis that is given twice or cut where it is shown, or an index
/// outside the grid.
void check(const PlaneRequest& request, const transport::Tables& tables);

/// The planes in the order of the requests.
std::vector<Plane> project(Solver& solver, const transport::Tables& tables, std::span<const PlaneRequest> requests);

/// All six pairs of axes and the mean depth, in one pass over what the solver shows.
void sum_marginals(const Solver& solver, const transport::Tables& tables, Marginals& out);

}  // namespace bb::engine
