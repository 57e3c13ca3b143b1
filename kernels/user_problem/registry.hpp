#pragma once

#include "engine/task.hpp"

namespace bb::user_problem {

/// User problems: arrays in, arrays out, and an answer from the user's reference.
engine::TaskBench bench();

}  // namespace bb::user_problem
