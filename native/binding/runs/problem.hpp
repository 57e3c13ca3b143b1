#pragma once

#include "binding/convert.hpp"
#include "transport/model/problem.hpp"

namespace bb::binding {

/// Reads the TransportProblem of electron/host/io/addon/addon.ts. Throws what `Fields` throws, which names
/// the field. A reproducer reads the same from a file.
transport::Problem read_problem(const Fields& fields);

}  // namespace bb::binding
