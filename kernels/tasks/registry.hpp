#pragma once

#include <span>

#include "engine/task.hpp"

namespace bb::tasks {

/// Every bench of every workload that is measured as tasks.
std::span<const engine::TaskBench> benches();

/// The bench of `problem`; throws ProblemError('unsupported') that names those there are.
const engine::TaskBench& find_bench(const engine::TaskProblem& problem);

/// The variant `problem.variant` names; of `auto` the last of its bench that can run. Throws ProblemError
/// ('unsupported' | 'memory' | 'device') that names the field, the value and what is allowed.
const engine::TaskVariant& choose_variant(const engine::TaskProblem& problem);

}  // namespace bb::tasks
