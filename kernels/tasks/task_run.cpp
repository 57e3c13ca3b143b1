#include "task_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cpu/stopwatch.hpp"
#include "engine/user_task.hpp"
#include "registry.hpp"

namespace bb::engine {
namespace {

using cpu::Clock;

// A launch queue takes about a thousand launches; far more in one batch only measures waiting for it.
constexpr int kMostRepetitions = 20'000;
constexpr int kMostCold = 200;  // each empties the caches, which takes longer than most repetitions
// Emptying a server's caches takes tens of milliseconds: a cold sample is as long as this allows.
constexpr double kMostColdSeconds = 0.2;
constexpr double kMargin = 1.2;      // so that the next sample is not too short by a little
constexpr double kSteepest = 100.0;  // a first repetition misleads: by this much at most is the next batch longer

constexpr const char* kSpanNames[] = {"repetitions", "cold repetitions", "graph replays"};

/// One that is wrong now and then is wrong; NaN is the worst.
void keep_worst(CheckReport& report, const CheckReport& other) {
  for (std::size_t i = 0; i < report.checks.size(); ++i) {
    const double value = other.checks[i].value;
    if (!(value <= report.checks[i].value)) report.checks[i].value = value;
  }
}

double counted(const TaskTime& time, TaskClock clock) {
  return clock == TaskClock::kDevice ? time.device_s : time.wall_s;
}

/// The task records its repetitions for as long as this lives.
struct Traced {
  Traced(Task& looked_at, SpanRecorder* recorder) : task(looked_at) { task.recorder = recorder; }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;
  ~Traced() { task.recorder = nullptr; }
  Task& task;
};

}  // namespace

TaskRun::TaskRun(TaskProblem problem)
    : problem_(std::move(problem)), bench_(&tasks::find_bench(problem_)), variant_(&tasks::choose_variant(problem_)) {
  problem_.variant = variant_->id;
}

double TaskRun::prepare() {
  const Clock::time_point start = Clock::now();
  const auto make = cpu::factory_of(*variant_, bench_->workload, bench_->id, kUserTaskLayout);
  std::unique_ptr<Task> task = make(problem_);
  task->cancel = &cancel_;
  task->enter();
  task->require_memory(estimate_bytes());
  task->prepare();
  task_ = std::move(task);
  if (make != variant_->make) judge_ = variant_->make(problem_);
  const Clock::time_point end = Clock::now();
  spans_.record(0, spans_.name_id("prepare"), kNoStep, spans_.ns_at(start), spans_.ns_at(end));
  return std::chrono::duration<double>(end - start).count();
}

TaskSample TaskRun::sample(const TaskSampleOptions& options) {
  task_->enter();
  int most = options.mode == TaskMode::kCold ? kMostCold : kMostRepetitions;
  int& repetitions = repetitions_[static_cast<int>(options.mode)];
  const auto timed = [&](int count) {
    const double start_ns = spans_.now_ns();
    const TaskTime time = task_->repeat(count, options.mode);
    spans_.record(0, spans_.name_id(kSpanNames[static_cast<int>(options.mode)]), static_cast<std::uint32_t>(count),
                  start_ns, spans_.now_ns());
    return time;
  };
  if (repetitions == 0) {
    timed(1);  // first launches load code
    int count = 1;
    for (;;) {
      const Clock::time_point start = Clock::now();
      const double seconds = counted(timed(count), task_->clock());
      if (seconds >= options.at_least_s || count >= most) break;
      if (options.mode == TaskMode::kCold) {
        const double each = cpu::seconds_since(start) / count;
        most = std::min(most, static_cast<int>(kMostColdSeconds / each));
        if (count >= most) break;
      }
      const double wanted = seconds > 0.0 ? kMargin * count * options.at_least_s / seconds : kSteepest * count;
      count = static_cast<int>(std::min<double>(most, std::clamp(wanted, 2.0 * count, kSteepest * count)));
    }
    repetitions = count;
  }
  const int count = options.trace ? std::min(repetitions, kMostTraced) : repetitions;
  if (options.trace) spans_.widen(1 + task_->lanes());
  const Traced traced(*task_, options.trace ? &spans_ : nullptr);
  const TaskTime time = timed(count);
  return {.repetitions = count,
          .device_s = time.device_s / count,
          .wall_s = time.wall_s / count,
          .time_s = counted(time, task_->clock()) / count};
}

TaskVerdict TaskRun::check(int runs) {
  task_->enter();
  const ScopedSpan span(spans_, 0, spans_.name_id("check"), runs);
  TaskVerdict out;
  task_->once();
  out.report = (judge_ ? judge_ : task_)->compare(task_->results());
  const std::uint64_t first = task_->hash();
  out.runs = 1;
  for (; out.runs < runs; ++out.runs) {
    if (cancel_.load()) throw TaskCancelled();
    task_->once();
    out.bitwise = out.bitwise && task_->hash() == first;
    if (judge_) keep_worst(out.report, judge_->compare(task_->results()));
  }
  out.holds = std::ranges::all_of(out.report.checks, [](const Check& check) { return check.holds(); });
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(first));
  out.hash = text;
  return out;
}

}  // namespace bb::engine
