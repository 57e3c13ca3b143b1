#pragma once

#include "engine/task.hpp"

namespace bb::user_problem {

/// User problems: input arrays, output arrays, and expected results from the user's reference.
engine::TaskBench bench();

}  // namespace bb::user_problem
