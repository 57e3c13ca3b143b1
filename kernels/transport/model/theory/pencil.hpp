#pragma once

#include <vector>

#include "physics/fermi_eyges.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

/// Fermi-Eyges moments of the problem's beam at the middle of every cell of depth, from its entrance until it stops.
/// Uses the materials on the axis of the beam. Shares only the stopping tables and the scattering formulas with the
/// solver. Throws ProblemError('unsupported') if the beam is not straight or there is none.
std::vector<physics::PencilMoments> pencil_beam(const Problem& problem);

}  // namespace bb::transport
