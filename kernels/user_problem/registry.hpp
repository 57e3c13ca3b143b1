#pragma once

#include "engine/task.hpp"

namespace bb::user_problem {

/// Problems of the user: arrays in, arrays out, an answer from their reference.
engine::TaskBench bench();

}  // namespace bb::user_problem
