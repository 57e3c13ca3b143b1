#pragma once

#include "cpu/user_library.hpp"
#include "task.hpp"

namespace bb::engine {

/// Layout of everything that a task and the engine hand to each other.
inline constexpr std::uint64_t kUserTaskLayout =
    cpu::layout_of<TaskProblem, Task, TaskTime, TaskWork, TaskResult, Check, CheckReport, Quantity, SetupPart,
                   std::vector<double>, std::string>();

}  // namespace bb::engine
