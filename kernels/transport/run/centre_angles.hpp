#pragma once

#include <vector>

#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::engine {

/// Planes are scored before the scattering of their step, so <θ²> there, [z][Crossing::kCount], holds half a step too
/// little. What a plane has after its scattering is what the next node has before its own: the mean of the two is right
/// to second order in the step.
void centre_angles(const transport::Problem& problem, const transport::Tables& tables, std::vector<double>& crossing);

}  // namespace bb::engine
