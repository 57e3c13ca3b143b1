#pragma once

#include "binding/convert.hpp"
#include "engine/task.hpp"
#include "transport/model/problem.hpp"

namespace bb::binding {

/// Reads the TransportProblem of electron/host/io/addon/addon.ts. Throws errors of `Fields`, which name the field. A
/// reproducer reads the same structure from a file.
transport::Problem read_problem(const Fields& fields);

/// Reads the TaskProblem of electron/host/io/addon/task.ts. Throws errors of `Fields`, which name the field.
engine::TaskProblem read_task(const Fields& fields);

}  // namespace bb::binding
