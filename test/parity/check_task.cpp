#include "check_task.hpp"

#include <string>

#include "check.hpp"
#include "tasks/task_run.hpp"

namespace bb::test {
namespace {

using engine::TaskProblem;

/// Returns whether the variant ignores the strides of a view or rounds its inputs, in order to demonstrate the
/// resulting error.
bool shown_to_be_wrong(const TaskProblem& problem) {
  if (problem.bench == "scattering") return problem.variant == "cuda-tf32" || problem.variant == "cuda-bf16";
  return problem.bench == "views" && problem.variant.ends_with("-ignored");
}

/// Returns whether the variant adds floating-point numbers atomically, so that their order varies.
bool any_order(const TaskProblem& problem) {
  if (problem.bench == "spmv") return problem.variant.ends_with("-csc") && problem.variant != "cpu-csc";
  if (problem.bench == "changing-pattern") return problem.variant == "cuda-csr" || problem.variant == "cuda-list";
  if (problem.bench == "reduction") return problem.variant.ends_with("atomics");
  if (problem.bench != "histogram" || problem.words.at("weights") == "int") return false;
  return problem.variant.starts_with("cuda-") && problem.variant != "cuda-sorted";
}

}  // namespace

void check_task(const TaskProblem& problem) {
  std::string name = problem.bench + " " + problem.variant;
  for (const auto& [key, value] : problem.numbers) name += " " + key + "=" + show(value);
  for (const auto& [key, value] : problem.words) name += " " + key + "=" + value;
  try {
    engine::TaskRun run(problem);
    run.prepare();
    const engine::TaskVerdict verdict = run.check(2);
    for (const engine::Check& check : verdict.report.checks) {
      if (check.holds() == shown_to_be_wrong(problem)) {
        fail(__FILE__, __LINE__, name + ": " + check.id + " is " + show(check.value) + ", limit " + show(check.limit));
      }
    }
    if (!verdict.bitwise && !any_order(problem)) fail(__FILE__, __LINE__, name + ": two runs differ");
    run.sample({.at_least_s = 0});
    run.task().quantities();
  } catch (const std::exception& error) {
    fail(__FILE__, __LINE__, name + ": " + error.what());
  }
}

}  // namespace bb::test
