#pragma once

#include <string_view>
#include <vector>

#include "engine/task.hpp"

namespace bb::test {

/// Small problems of a row of the claim ledger, of odd sizes and with every word that its parameters allow.
/// `variant` is left to the caller.
std::vector<engine::TaskProblem> micro_problems(std::string_view row);

/// Runs it twice; the first result must agree with FP64, unless the variant is one that is shown to be wrong.
/// The second must have the same bits, unless it adds floating-point numbers in no fixed order.
void check_task(const engine::TaskProblem& problem);

}  // namespace bb::test
