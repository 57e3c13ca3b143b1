#pragma once

#include <vector>

#include "physics/fermi_eyges.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// Fermi-Eyges moments of the problem's beam at the middle of every cell of depth from its entrance on;
/// through the materials on its axis, until it stops. Independent of the solver: it shares the stopping
/// tables and the formulas of the scattering power with it, and nothing else.
/// Throws ProblemError('unsupported') for a beam that is not straight, or none.
std::vector<physics::PencilMoments> pencil_beam(const Problem& problem);

}  // namespace bb::transport
