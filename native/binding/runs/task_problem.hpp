#pragma once

#include "binding/convert.hpp"
#include "engine/task.hpp"

namespace bb::binding {

/// Reads the TaskProblem of electron/host/io/addon/task.ts. Throws what `Fields` throws, which names the field.
engine::TaskProblem read_task(const Fields& fields);

}  // namespace bb::binding
