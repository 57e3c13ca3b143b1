#pragma once

#include <string>

#include "cuda/session/session.hpp"
#include "transport/model/problem.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

using cuda::on_device;

/// Why the CUDA variants cannot run here, in one sentence; "" when they can. Opens no device.
inline std::string cuda_unavailable() { return cuda::unavailable("transport"); }

}  // namespace bb::transport
