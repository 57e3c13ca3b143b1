#pragma once

#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// About the most bytes of ψ that a window which follows the beam takes, on the side of too much: the boxes of bins by
/// the widths that the beam has in the matter that its columns cross.
double window_bytes(const Problem& problem, const Tables& outline, int threads);

}  // namespace bb::transport
