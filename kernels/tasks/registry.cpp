#include "registry.hpp"

#include "cpu/memory.hpp"
#include "cuda/opened/opened_device.hpp"
#include "linear_relu/registry.hpp"
#include "micro/registry.hpp"
#include "user_problem/registry.hpp"
#include "variant.hpp"

namespace bb::tasks {

using engine::TaskBench;
using engine::TaskProblem;
using engine::TaskVariant;

namespace {

Refusal refusal(const TaskVariant& v, const TaskProblem& problem) {
  const std::string name = std::string("solver.variant = ") + v.id;
  if (const std::string missing = v.unavailable(); !missing.empty()) return {"device", name + ": " + missing};
  if (const std::string why = v.refuses(problem); !why.empty()) return {"unsupported", name + ": " + why};
  const double need = v.estimate_bytes(problem);
  // The memory limit of the scenario applies to the machine's memory; a GPU has a separate limit.
  const bool gpu = on_gpu(v);
  const double limit = gpu ? cuda::usual_memory_bytes() : problem.memory_limit;
  if (limit > 0.0 && need > limit) {
    return {"memory", name + ": needs about " + cpu::bytes_text(need) + ", " +
                          (gpu ? "the GPU has " : "the limit is ") + cpu::bytes_text(limit)};
  }
  return {nullptr, ""};
}

}  // namespace

std::span<const TaskBench> benches() {
  static const std::vector<TaskBench> all = [] {
    std::vector<TaskBench> out = {linear_relu::bench(), user_problem::bench()};
    for (const TaskBench& row : micro::benches()) out.push_back(row);
    return out;
  }();
  return all;
}

const TaskBench& find_bench(const TaskProblem& problem) {
  std::string known;
  for (const TaskBench& bench : benches()) {
    if (problem.workload != bench.workload) continue;
    // User problems have names that the engine does not know, so they are found by their workload.
    if (problem.bench == bench.id || problem.workload == "user-problem") return bench;
    known += (known.empty() ? "" : ", ") + std::string(bench.id);
  }
  throw ProblemError("unsupported", problem.workload + ": " + problem.bench + " is unknown; allowed: " + known);
}

const TaskVariant& choose_variant(const TaskProblem& problem) {
  const TaskBench& bench = find_bench(problem);
  std::string names, last;
  const TaskVariant* best = nullptr;
  for (const TaskVariant& v : bench.variants) {
    names += (names.empty() ? "" : ", ") + std::string(v.id);
    if (problem.variant == "auto" ? !v.automatic : problem.variant != v.id) continue;
    const Refusal refused = refusal(v, problem);
    if (refused.code == nullptr) {
      best = &v;
    } else if (problem.variant == v.id) {
      throw ProblemError(refused.code, refused.why);
    } else if (last.empty() || !on_gpu(v)) {  // a missing GPU is not the reason to report
      last = refused.why;
    }
  }
  if (best != nullptr) return *best;
  if (problem.variant == "auto") {
    throw ProblemError("unsupported", "solver.variant = auto: no variant can solve this problem; " + last);
  }
  refuse_unknown(problem.variant, names);
}

}  // namespace bb::tasks
