#pragma once

#include "engine/task.hpp"

namespace bb::test {

/// Runs a row of the table of performance claims twice. The first result must agree with FP64, unless the variant
/// demonstrates an error. The second must have the same bits, unless the variant adds floating-point numbers in varying
/// order.
void check_task(const engine::TaskProblem& problem);

}  // namespace bb::test
