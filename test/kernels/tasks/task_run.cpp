#include "tasks/task_run.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "check.hpp"
#include "engine/cpu_task.hpp"
#include "tasks/registry.hpp"
#include "user_problem/arrays.hpp"

using namespace bb::engine;

namespace {

TaskProblem launches(const std::string& variant) {
  TaskProblem problem;
  problem.workload = "micro";
  problem.bench = "launch";
  problem.variant = variant;
  problem.threads = 2;
  problem.numbers = {{"n", 1000}, {"steps", 7}};
  return problem;
}

/// A layer. Its inputs are arrays, so that an audit can poison and change them.
TaskProblem layer() {
  TaskProblem problem;
  problem.workload = "linear-relu";
  problem.variant = "cpu-fp64";
  problem.threads = 2;
  problem.numbers = {{"batch", 10}, {"inputs", 20}, {"outputs", 30}};
  problem.words = {{"direction", "forward"}, {"values", "uniform"}};
  problem.switches = {{"bias", true}};
  return problem;
}

}  // namespace

TEST("task: all CPU variants of a row agree bit for bit, and with FP64 within their limit") {
  std::string hash;
  for (const char* id : {"cpu-passes", "cpu-fused"}) {
    TaskRun run(launches(id));
    CHECK(run.prepare() > 0.0);
    const TaskVerdict verdict = run.check(3);
    CHECK(verdict.holds && verdict.bitwise);
    CHECK_EQ(verdict.runs, 3);
    if (hash.empty()) hash = verdict.hash;
    CHECK_EQ(verdict.hash, hash);
  }
}

TEST("task: the first sample determines the number of repetitions, and every later one uses the same") {
  TaskRun run(launches("cpu-fused"));
  run.prepare();
  const TaskSample first = run.sample({.mode = TaskMode::kWarm, .at_least_s = 1e-4});
  CHECK(first.repetitions >= 1 && first.time_s > 0.0 && first.wall_s == first.time_s);
  CHECK(std::isnan(first.device_s));
  CHECK_EQ(run.sample({.mode = TaskMode::kWarm, .at_least_s = 1.0}).repetitions, first.repetitions);
  CHECK_THROWS(run.sample({.mode = TaskMode::kGraph}), "graph");
  CHECK_THROWS(run.sample({.mode = TaskMode::kColdGraph}), "graph");
  CHECK(run.check(1).holds);  // repetitions changed y; a check starts from the original inputs
  run.cancel();
  CHECK_THROWS(run.sample({}), "cancelled");
}

TEST("task: preparation, samples and checks are recorded; a traced sample records every repetition and each thread") {
  TaskRun run(launches("cpu-passes"));
  run.prepare();
  run.sample({.at_least_s = 1e-4});
  const auto count = [&](const char* name, std::size_t lane) {
    const std::uint16_t id = run.spans().name_id(name);
    return std::ranges::count(run.spans().lanes().at(lane).spans, id, &SpanRecorder::Span::name);
  };
  CHECK_EQ(count("prepare", 0), 1);
  CHECK(count("repetitions", 0) >= 2);
  CHECK_EQ(count("repetition", 0), 0);
  CHECK_EQ(run.spans().lanes().size(), 1u);

  const TaskSample traced = run.sample({.at_least_s = 1e-4, .trace = true});
  CHECK(traced.repetitions <= kMaxTraced);
  CHECK_EQ(count("repetition", 0), traced.repetitions);
  CHECK_EQ(run.spans().lanes().size(), 3u);  // one for the calls, two for the pool
  CHECK_EQ(count("work", 1), 7 * traced.repetitions);
  const SpanRecorder::Span& batch = run.spans().lanes()[0].spans.back();
  CHECK_EQ(batch.step, static_cast<std::uint32_t>(traced.repetitions));
  for (const SpanRecorder::Span& part : run.spans().lanes()[1].spans) {
    CHECK(batch.start_ns <= part.start_ns && part.end_ns <= batch.end_ns);
  }
  run.sample({.at_least_s = 1e-4});
  CHECK_EQ(count("repetition", 0), traced.repetitions);
  run.check(2);
  CHECK_EQ(count("check", 0), 1);
}

TEST("task: an audited sample has all of its outputs poisoned beforehand, and ends with probes") {
  TaskRun run(layer());
  run.prepare();
  TaskSample sample = run.sample({.at_least_s = 1e-5, .audit = true, .probe = true});
  CHECK(sample.audit.audited && !sample.audit.inputs_changed);
  CHECK_EQ(sample.audit.outputs, 300u);
  CHECK_EQ(sample.audit.unwritten, 0u);
  CHECK_EQ(sample.audit.results.at(0).count, 300u);
  CHECK(!sample.audit.probes.empty() && sample.audit.seconds > 0.0);
  CHECK(run.compare(sample.audit.results).checks.at(0).holds());
  // Another seed gives different inputs, and different expected results.
  run.close();
  run.prepare(7);
  CHECK(!run.compare(sample.audit.results).checks.at(0).holds());
  CHECK(run.check(1).holds);
  // Without an audit no memory is poisoned or copied.
  CHECK(!run.sample({.at_least_s = 1e-5}).audit.audited);
}

TEST("task: inputs change at unpredictable repetitions of a sample, and are restored afterwards") {
  TaskRun run(layer());
  run.prepare();
  std::size_t changes = 0;
  for (int i = 0; i < 40; ++i) {
    const TaskSample sample = run.sample({.at_least_s = 5e-3, .hide = true});
    CHECK(!sample.audit.audited);
    CHECK_EQ(sample.audit.hidden_unwritten, 0u);
    changes += sample.audit.hidden.size();
  }
  // A sample has several changes even in a sanitized build, whose repetitions take some 100 us.
  CHECK(changes >= 40);
  const TaskSample audited = run.sample({.at_least_s = 1e-4, .audit = true, .probe = true, .hide = true});
  CHECK(!audited.audit.inputs_changed && audited.audit.unwritten == 0);
  CHECK(run.compare(audited.audit.results).checks.at(0).holds());
  CHECK(run.check(1).holds);
}

TEST("task: alterations follow from their seed, keep both ends of each array, and only permute integers") {
  std::vector<float> reals(40), others(40);
  std::vector<std::int32_t> places(40);
  for (int i = 0; i < 40; ++i) reals[i] = 0.5f + i, others[i] = 100.5f + i, places[i] = i;
  const std::vector<TaskArray> arrays{
      {reals.data(), 40}, {others.data(), 40}, {places.data(), 40, TaskArray::Type::kInt}};
  const auto bytes = [](const auto& values) {
    const auto all = std::as_bytes(std::span(values));
    return std::vector<std::byte>(all.begin(), all.end());
  };
  const std::vector<std::vector<std::byte>> before{bytes(reals), bytes(others), bytes(places)};
  for (std::uint64_t seed = 30; seed < 60; ++seed) {
    auto altered = before, again = before;
    alter(arrays, altered, seed);
    alter(arrays, again, seed);
    CHECK(altered == again);
    int changed = 0;
    for (std::size_t a = 0; a < before.size(); ++a) {
      changed += altered[a] != before[a];
      CHECK(std::equal(altered[a].begin(), altered[a].begin() + 40, before[a].begin()));
      CHECK(std::equal(altered[a].end() - 40, altered[a].end(), before[a].end() - 40));
    }
    // An alteration changes all arrays, a single one, or a few elements of each, which may cancel.
    if (seed % 3 < 2) CHECK_EQ(changed, seed % 3 == 0 ? 3 : 1);
    std::vector<std::int32_t> exchanged(40);
    std::memcpy(exchanged.data(), altered[2].data(), altered[2].size());
    std::ranges::sort(exchanged);
    CHECK(exchanged == places);
  }
  // Matrix rows are exchanged, because copying one over another would make the matrix singular.
  const std::vector<TaskArray> matrix{{reals.data(), 40, TaskArray::Type::kFloat, 4}};
  for (std::uint64_t seed = 30; seed < 60; ++seed) {
    std::vector<std::vector<std::byte>> rows{bytes(reals)};
    alter(matrix, rows, seed);
    std::vector<float> moved(40);
    std::memcpy(moved.data(), rows[0].data(), rows[0].size());
    for (int row = 0; row < 10; ++row) CHECK_EQ(moved[4 * row + 3] - moved[4 * row], 3.0f);
    std::ranges::sort(moved);
    CHECK(moved == reals);
  }
}

TEST("task: an audited sample has the results of altered inputs, and the inputs are restored afterwards") {
  TaskRun run(layer());
  run.prepare();
  const TaskSample sample = run.sample({.at_least_s = 1e-4, .audit = true, .hide = true, .alteration = 30});
  CHECK_EQ(sample.audit.altered.at(0).count, 300u);
  CHECK(!sample.audit.inputs_changed);
  CHECK(run.compare(sample.audit.results).checks.at(0).holds());
  // The expected results belong to the problem's own inputs, so the results for altered inputs must differ.
  CHECK(!run.compare(sample.audit.altered).checks.at(0).holds());
  CHECK(run.sample({.at_least_s = 1e-4, .audit = true}).audit.altered.empty());
}

TEST("task: values that still contain the poison are counted, starting at the first") {
  std::vector<float> values(5, 1.0f);
  std::memset(&values[2], kPoison, sizeof(float));
  std::memset(&values[4], kPoison, sizeof(float));
  const auto bytes = std::as_bytes(std::span(values));
  TaskAudit audit;
  count_unwritten({{values.data(), values.size()}}, {{bytes.begin(), bytes.end()}}, audit);
  CHECK_EQ(audit.outputs, 5u);
  CHECK_EQ(audit.unwritten, 2u);
  CHECK_EQ(audit.first_unwritten, 2u);
}

TEST("task: an impossible request is rejected by name, value and what is allowed, before any allocation") {
  CHECK_THROWS(TaskRun(launches("cuda-none")), "allowed: auto, cpu-passes");
  TaskProblem unknown = launches("auto");
  unknown.bench = "lunch";
  CHECK_THROWS(TaskRun(unknown), "lunch is unknown");
  TaskProblem lacking = launches("cpu-fused");
  lacking.numbers.erase("steps");
  CHECK_THROWS(TaskRun(lacking).prepare(), "steps is missing");
  TaskProblem large = launches("cpu-fused");
  large.memory_limit = 1000;
  CHECK_THROWS(TaskRun(large), "the limit is 1000 B");
}

TEST("user problem: a report shows how a tolerance follows from rounding errors and the largest FP64 answer") {
  TaskProblem problem;
  // Tolerance of 1024 roundings of 2^-24, plus a thousandth of each value.
  problem.words["arrays"] =
      "in x fp32 4 1 0 0 0 uniform 0 1 0\nout y fp32 3 1 0 0.001 6.103515625e-05 none 0 0 0\n"
      "out z int32 2 1 0 0 0 none 0 0 0";
  const std::vector<std::vector<double>> wanted{{1.0, -3.5, 2.0}, {1.0, 2.0}};
  // 2.1e-4 for roundings and 2e-3 of the value give a tolerance of 2.21e-3 for the last element of y.
  std::vector<double> off = wanted[0];
  const TaskResults results{{3, [&](std::size_t i) { return off[i]; }},
                            {2, [&](std::size_t i) { return wanted[1][i]; }}};
  const auto arrays = bb::user_problem::arrays_of(problem);
  off[2] = 2.0 + 2.2e-3;
  const CheckReport right = bb::user_problem::compare(arrays, wanted, results);
  CHECK(right.checks[0].holds() && right.checks[1].holds());
  CHECK_EQ(right.compared,
           "all 5 results with the reference; y may be off by 1024 roundings \u00d7 5.96e-08 \u00d7 3.5 (the largest "
           "expected) = 0.000214 + 0.001 of the value");
  off[2] = 2.0 + 2.3e-3;
  CHECK(!bb::user_problem::compare(arrays, wanted, results).checks[0].holds());
}
