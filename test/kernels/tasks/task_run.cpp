#include "tasks/task_run.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "check.hpp"
#include "tasks/registry.hpp"

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

}  // namespace

TEST("task: every CPU variant of a row gives the same bits as the others, within its limit of FP64") {
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

TEST("task: a sample takes as many repetitions as it must, and every later one as many again") {
  TaskRun run(launches("cpu-fused"));
  run.prepare();
  const TaskSample first = run.sample({.mode = TaskMode::kWarm, .at_least_s = 1e-4});
  CHECK(first.repetitions >= 1 && first.time_s > 0.0 && first.wall_s == first.time_s);
  CHECK(std::isnan(first.device_s));
  CHECK_EQ(run.sample({.mode = TaskMode::kWarm, .at_least_s = 1.0}).repetitions, first.repetitions);
  CHECK_THROWS(run.sample({.mode = TaskMode::kGraph}), "graph");
  CHECK(run.check(1).holds);  // repetitions changed y; a check starts from the inputs
  run.cancel();
  CHECK_THROWS(run.sample({}), "cancelled");
}

TEST("task: preparing, samples and checks are recorded; of a traced sample every repetition and each thread's part") {
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
  CHECK(traced.repetitions <= kMostTraced);
  CHECK_EQ(count("repetition", 0), traced.repetitions);
  CHECK_EQ(run.spans().lanes().size(), 3u);  // that of the calls, and the pool's two
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

TEST("task: an audited sample has all of its outputs written over poison, and ends with probes") {
  TaskProblem problem = launches("own-cpu");
  problem.bench = "own";
  problem.numbers = {{"n", 1000}, {"results", 1000}, {"tolerance", 1e-7}};
  TaskRun run(problem);
  run.prepare();
  TaskSample sample = run.sample({.at_least_s = 1e-5, .audit = true, .probe = true});
  CHECK(sample.audit.audited && !sample.audit.inputs_changed);
  CHECK_EQ(sample.audit.outputs, 1000u);
  CHECK_EQ(sample.audit.unwritten, 0u);
  CHECK_EQ(sample.audit.results.at(0).count, 1000u);
  CHECK(!sample.audit.probes.empty() && sample.audit.seconds > 0.0);
  CHECK(run.compare(sample.audit.results).checks.at(0).holds());
  // Other inputs with another seed, and the answer follows them.
  run.close();
  run.prepare(7);
  CHECK(!run.compare(sample.audit.results).checks.at(0).holds());
  CHECK(run.check(1).holds);
  // Without an audit nothing is poisoned, and nothing is copied.
  CHECK(!run.sample({.at_least_s = 1e-5}).audit.audited);
}

TEST("task: inputs change at unpredictable repetitions of a sample, and are restored behind them") {
  TaskProblem problem = launches("own-cpu");
  problem.bench = "own";
  problem.numbers = {{"n", 4096}, {"results", 4096}, {"tolerance", 1e-7}};
  TaskRun run(problem);
  run.prepare();
  std::size_t changes = 0;
  for (int i = 0; i < 40; ++i) {
    const TaskSample sample = run.sample({.at_least_s = 1e-4, .hide = true});
    CHECK(!sample.audit.audited);
    CHECK_EQ(sample.audit.hidden_unwritten, 0u);
    changes += sample.audit.hidden.size();
  }
  // Twelve are expected in each sample; with any seed of the system fewer than 40 in all do not happen.
  CHECK(changes >= 40);
  const TaskSample audited = run.sample({.at_least_s = 1e-4, .audit = true, .probe = true, .hide = true});
  CHECK(!audited.audit.inputs_changed && audited.audit.unwritten == 0);
  CHECK(run.compare(audited.audit.results).checks.at(0).holds());
  CHECK(run.check(1).holds);
}

TEST("task: values that still hold the poison are counted from the first") {
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

TEST("task: what cannot be done is refused by name, value and what is allowed, before anything is allocated") {
  CHECK_THROWS(TaskRun(launches("cuda-none")), "allowed: auto, cpu-passes");
  TaskProblem unknown = launches("auto");
  unknown.bench = "lunch";
  CHECK_THROWS(TaskRun(unknown), "lunch is unknown");
  TaskProblem lacking = launches("cpu-fused");
  lacking.numbers.erase("steps");
  CHECK_THROWS(TaskRun(lacking).prepare(), "steps is missing");
  TaskProblem large = launches("cpu-fused");
  large.memory_limit = 1000;
  CHECK_THROWS(TaskRun(large), "the limit is 1000 bytes");
}
