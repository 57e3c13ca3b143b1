#pragma once

#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// Estimates the peak number of bytes of ψ for a window that follows the beam, rather too high than too low. The box of
/// each bin follows from the beam's widths in the material along its columns.
double window_bytes(const Problem& problem, const Tables& outline, int threads);

}  // namespace bb::transport
