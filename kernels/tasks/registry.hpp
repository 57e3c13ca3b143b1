#pragma once

#include <span>

#include "engine/task.hpp"

namespace bb::tasks {

/// All benches of the workloads that are measured as tasks.
std::span<const engine::TaskBench> benches();

/// Returns the bench of `problem`; throws ProblemError('unsupported') that names the available ones.
const engine::TaskBench& find_bench(const engine::TaskProblem& problem);

/// Returns the variant that `problem.variant` names; for `auto` the last variant of its bench that can run. Throws
/// ProblemError ('unsupported' | 'memory' | 'device') that names the field, the value and the allowed values.
const engine::TaskVariant& choose_variant(const engine::TaskProblem& problem);

}  // namespace bb::tasks
