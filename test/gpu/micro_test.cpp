// Every row of the claim ledger on the GPU: each variant against FP64, on odd sizes that nothing divides.
#include "micro/registry.hpp"

#include <cstdio>

#include "check.hpp"
#include "gpu.hpp"
#include "micro_problems.hpp"
#include "tasks/task_run.hpp"

using namespace bb::engine;
using bb::test::micro_problems;

TEST("micro: every CUDA variant agrees with FP64 on every problem, with itself bit for bit, and as a graph") {
  bb::test::gpu();
  for (const TaskBench& bench : bb::micro::benches()) {
    for (const TaskProblem& each : micro_problems(bench.id)) {
      for (const TaskVariant& v : bench.variants) {
        if (std::string_view(v.device) != "cuda" || !v.refuses(each).empty()) continue;
        if (!v.unavailable().empty()) {
          std::fprintf(stderr, "%s %s: %s\n", bench.id, v.id, v.unavailable().c_str());
          continue;
        }
        TaskProblem problem = each;
        problem.variant = v.id;
        bb::test::check_task(problem);
      }
    }
  }
}

TEST("micro: what can be captured gives the same as a graph; what cannot says why") {
  for (const TaskBench& bench : bb::micro::benches()) {
    TaskProblem problem = micro_problems(bench.id).front();
    for (const TaskVariant& v : bench.variants) {
      if (std::string_view(v.device) != "cuda" || !v.refuses(problem).empty() || !v.unavailable().empty()) continue;
      problem.variant = v.id;
      TaskRun run(problem);
      run.prepare();
      try {
        run.sample({.mode = TaskMode::kGraph, .at_least_s = 0});
      } catch (const bb::ProblemError& error) {
        CHECK(error.code() == "unsupported" && std::string_view(error.what()).size() > 10);
        continue;
      }
      run.sample({.mode = TaskMode::kCold, .at_least_s = 0});
    }
  }
}
