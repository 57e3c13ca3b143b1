// Every row of the table of performance claims on the CPU. Each variant is compared with FP64, on odd sizes that no
// block divides.
#include "check_task.hpp"

#include <set>

#include "check.hpp"
#include "micro/registry.hpp"
#include "tasks/task_run.hpp"

using namespace bb::engine;

TEST("micro: every row has problems, two variants or more, and unique ids, and every ladder refers to its variants") {
  std::set<std::string> rows;
  for (const TaskBench& bench : bb::micro::benches()) {
    CHECK(rows.insert(bench.id).second);
    CHECK(!bench.small.empty());
    CHECK(bench.variants.size() >= 2);
    std::set<std::string> ids{""};
    for (const TaskVariant& v : bench.variants) {
      CHECK(ids.insert(v.id).second);
      CHECK(ids.contains(v.builds_on));
    }
  }
}

TEST("micro: every CPU variant agrees with FP64 on every problem, and with itself bit for bit") {
  for (const TaskBench& bench : bb::micro::benches()) {
    for (const TaskProblem& each : bench.small) {
      for (const TaskVariant& v : bench.variants) {
        if (std::string_view(v.device) != "cpu" || !v.refuses(each).empty()) continue;
        TaskProblem problem = each;
        problem.variant = v.id;
        problem.threads = 2;
        bb::test::check_task(problem);
      }
    }
  }
}

TEST("micro: an impossible request to a variant is rejected with its value and what is allowed") {
  const auto refusal = [](const char* bench, const char* variant, const TaskProblem& problem) {
    for (const TaskBench& b : bb::micro::benches()) {
      if (std::string_view(b.id) != bench) continue;
      for (const TaskVariant& v : b.variants) {
        if (std::string_view(v.id) == variant) return v.refuses(problem);
      }
    }
    return std::string("there is none");
  };
  TaskProblem problem;
  problem.numbers = {{"stride", 64}, {"element_bytes", 16}, {"bins", 100000}, {"footprint_bytes", 1 << 20}};
  problem.words = {{"order", "forward"}, {"weights", "fp64"}, {"matrix", "power-law"}};
  CHECK(refusal("coalescing", "cuda-staged", problem).find("262144 bytes") != std::string::npos);
  CHECK(refusal("histogram", "cuda-shared", problem).find("bins = 100000") != std::string::npos);
  CHECK(refusal("latency", "cuda-shared", problem).find("allowed: 98304") != std::string::npos);
  CHECK(refusal("spmv", "cuda-dia", problem).find("power-law") != std::string::npos);
  CHECK(refusal("spmv", "cuda-csr-vector", problem).empty());
}
