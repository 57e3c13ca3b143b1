#include "task_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "cpu/stopwatch.hpp"
#include "engine/cpu_task.hpp"
#include "engine/task.hpp"
#include "registry.hpp"

namespace bb::engine {
namespace {

using cpu::Clock;

// Maximum number of repetitions in a batch. A launch queue holds about a thousand launches; far larger batches only
// measure the wait for it.
constexpr int kMaxRepetitions = 20'000;
// Maximum number of cold repetitions. Each empties the caches, which takes longer than most repetitions.
constexpr int kMaxColdRepetitions = 200;
// Emptying a server's caches takes tens of milliseconds, so a cold sample ends after this time.
constexpr double kMaxColdSeconds = 0.2;
constexpr int kSwappedCalls = 100;   // enough for a new process to warm up
constexpr double kMargin = 1.2;      // makes the next sample long enough
constexpr double kSteepest = 100.0;  // limits the growth of the next batch, because a first repetition may mislead

constexpr const char* kSpanNames[kTaskModes] = {"repetitions", "cold repetitions", "graph replays",
                                                "cold graph replays"};

/// Keeps the worse value of each check, so that an intermittent error is reported; NaN is the worst.
void merge_worst(CheckReport& report, const CheckReport& other) {
  for (std::size_t i = 0; i < report.checks.size(); ++i) {
    if (!(other.checks[i].value <= report.checks[i].value)) report.checks[i] = other.checks[i];
  }
}

double counted(const TaskTime& time, TaskClock clock) {
  return clock == TaskClock::kDevice ? time.device_s : time.wall_s;
}

/// Makes the task record its repetitions during the lifetime of this object.
struct TraceScope {
  TraceScope(Task& looked_at, SpanRecorder* recorder) : task(looked_at) { task.recorder = recorder; }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope() { task.recorder = nullptr; }
  Task& task;
};

}  // namespace

TaskRun::TaskRun(TaskProblem problem)
    : problem_(std::move(problem)), bench_(&tasks::find_bench(problem_)), variant_(&tasks::choose_variant(problem_)) {
  problem_.variant = variant_->id;
  std::random_device entropy;
  std::seed_seq seeds{entropy(), entropy(), entropy(), entropy()};
  random_.seed(seeds);
}

void TaskRun::reseed(std::uint64_t seed) {
  if (seed != problem_.seed) judge_.reset();
  problem_.seed = seed;
}

unsigned char TaskRun::filler_byte() {
  // Excludes booleans and small numbers, which are common results.
  return static_cast<unsigned char>(std::uniform_int_distribution<int>(16, 239)(random_));
}

TaskResults TaskRun::inputs() { return variant_->make(problem_)->inputs(); }

CheckReport TaskRun::compare(const TaskResults& results) {
  if (task_ && shipped_) return task_->compare(results);
  if (!judge_) judge_ = variant_->make(problem_);
  return judge_->compare(results);
}

double TaskRun::prepare(std::uint64_t seed) {
  const Clock::time_point start = Clock::now();
  reseed(seed);
  const auto make = cpu::factory_of(*variant_, bench_->workload, bench_->id, kUserTaskLayout);
  std::unique_ptr<Task> task = make(problem_);
  task->cancel = &cancel_;
  task->enter();
  task->require_memory(estimate_bytes());
  task->prepare();
  task_ = std::move(task);
  shipped_ = make == variant_->make;
  const Clock::time_point end = Clock::now();
  spans_.record(0, spans_.name_id("prepare"), kNoStep, spans_.ns_at(start), spans_.ns_at(end));
  return std::chrono::duration<double>(end - start).count();
}

TaskSample TaskRun::sample(const TaskSampleOptions& options) {
  task_->enter();
  int most = is_cold(options.mode) ? kMaxColdRepetitions : kMaxRepetitions;
  int& repetitions = repetitions_[static_cast<int>(options.mode)];
  TaskAudit audit;
  const auto timed = [&](int count, const AuditPlan& plan) {
    const double start_ns = spans_.now_ns();
    const TaskTime time = repeat(count, options.mode, plan, audit);
    spans_.record(0, spans_.name_id(kSpanNames[static_cast<int>(options.mode)]), static_cast<std::uint32_t>(count),
                  start_ns, spans_.now_ns());
    return time;
  };
  if (options.swapped) {
    const double rotation = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    timed(kSwappedCalls, {.swapped = true, .rotation = rotation});
    return {.repetitions = kSwappedCalls, .audit = std::move(audit)};
  }
  if (repetitions == 0) {
    timed(1, {});  // the first launches load code
    int count = 1;
    for (;;) {
      const Clock::time_point start = Clock::now();
      const double seconds = counted(timed(count, {}), task_->clock());
      if (seconds >= options.at_least_s || count >= most) break;
      if (is_cold(options.mode)) {
        const double each = cpu::seconds_since(start) / count;
        most = std::min(most, static_cast<int>(kMaxColdSeconds / each));
        if (count >= most) break;
      }
      const double wanted = seconds > 0.0 ? kMargin * count * options.at_least_s / seconds : kSteepest * count;
      count = static_cast<int>(std::min<double>(most, std::clamp(wanted, 2.0 * count, kSteepest * count)));
    }
    repetitions = count;
  }
  const int count = options.trace ? std::min(repetitions, kMaxTraced) : repetitions;
  if (options.trace) spans_.widen(1 + task_->lanes());
  const TraceScope traced(*task_, options.trace ? &spans_ : nullptr);
  AuditPlan plan;
  const auto among = [&](int first, int last) { return std::uniform_int_distribution<int>(first, last)(random_); };
  if (options.audit && !options.trace) {
    plan.at = among(0, count - 1);
    plan.probe = options.probe && options.mode == TaskMode::kWarm;
    plan.rotation = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    plan.filler = filler_byte();
  }
  if (options.hide && !options.trace && options.mode == TaskMode::kWarm) {
    plan.hide = true;
    plan.picks = random_();
    // The original inputs are restored at the audited repetition, or at another one that a kernel cannot predict.
    plan.displaced = among(0, 1) == 0 ? 0 : among(0, plan.at >= 0 ? plan.at : count);
  }
  if (options.alteration != 0 && plan.at >= 0) {
    plan.altered_at = among(plan.displaced, count - 1);
    plan.alteration = options.alteration;
  }
  const TaskTime time = timed(count, plan);
  if (plan.at >= 0 && !audit.audited) {
    const Clock::time_point start = Clock::now();
    audit.results = once(audit);
    audit.audited = true;
    audit.seconds += cpu::seconds_since(start);
  }
  return {.repetitions = count,
          .device_s = time.device_s / count,
          .wall_s = time.wall_s / count,
          .time_s = counted(time, task_->clock()) / count,
          .timed_s = std::isnan(time.wall_s) ? time.device_s : time.wall_s,
          .audit = std::move(audit)};
}

TaskTime TaskRun::repeat(int count, TaskMode mode, const AuditPlan& plan, TaskAudit& audit) {
  const bool on_cpu = std::string_view(variant_->device) == "cpu";
  return on_cpu ? repeat_on_cpu(*task_, count, mode, plan, audit) : task_->repeat(count, mode, plan, audit);
}

TaskResults TaskRun::once(TaskAudit& audit) {
  if (!task_->arrays().outputs.empty()) {
    repeat(1, TaskMode::kWarm, {.at = 0, .filler = filler_byte()}, audit);
    return std::move(audit.results);
  }
  task_->once();
  return task_->results();
}

TaskVerdict TaskRun::check(int runs, bool judged) {
  task_->enter();
  const ScopedSpan span(spans_, 0, spans_.name_id("check"), runs);
  TaskVerdict out;
  std::uint64_t first = 0;
  for (; out.runs < runs; ++out.runs) {
    if (cancel_.load()) throw TaskCancelled();
    TaskResults results = once(out.audit);
    const std::uint64_t hash = task_->hash();
    if (out.runs == 0) first = hash;
    const bool repeated = out.runs > 0 && hash == first;
    if (!repeated && out.runs > 0) out.bitwise = false;
    if (repeated && shipped_) continue;
    if (!judged) {
      out.unjudged.push_back(std::move(results));
    } else if (out.runs == 0) {
      out.report = compare(results);
    } else {
      merge_worst(out.report, compare(results));
    }
  }
  out.holds = std::ranges::all_of(out.report.checks, [](const Check& check) { return check.holds(); });
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(first));
  out.hash = text;
  return out;
}

}  // namespace bb::engine
