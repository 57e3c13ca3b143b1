#pragma once

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::engine {

struct TaskSampleOptions {
  TaskMode mode = TaskMode::kWarm;
  /// Repetitions are as many as this takes, of the clock that counts: below it, events and the clock's own steps show.
  double at_least_s = 0.01;
  /// Every repetition is recorded, of at most kMostTraced: what a person looks at.
  bool trace = false;
  /// One repetition at an unpredictable place is audited; `probe`: and the sample ends with a MemoryProbe.
  bool audit = false, probe = false;
  /// Some inputs change at unpredictable repetitions, on a CPU.
  bool hide = false;
  /// Some repetitions with rotated inputs, for TaskAudit::swapped_s; of a task that has not run since prepare().
  bool swapped = false;
};

inline constexpr int kMostTraced = 10;

/// One timing: means over `repetitions`, seconds.
struct TaskSample {
  int repetitions = 0;
  double device_s = kAbsent, wall_s = kAbsent;
  double time_s = 0;   // of the clock that counts
  double timed_s = 0;  // of all repetitions, by the wall clock
  TaskAudit audit;
};

struct TaskVerdict {
  CheckReport report;
  bool holds = false;   // every check
  int runs = 0;         // with equal inputs
  bool bitwise = true;  // whose results have equal bits
  std::string hash;     // of the first, 16 hexadecimal digits
  /// Results for a judging process: of the first run, and of each run whose bits differ from it.
  std::vector<TaskResults> unjudged;
  TaskAudit audit;  // of all runs together, without their results
};

/// One variant at work on one problem. Calls come one after another, from any thread; `cancel` from any at any time.
class TaskRun {
 public:
  /// Chooses the variant. Throws ProblemError.
  explicit TaskRun(TaskProblem problem);

  const TaskBench& bench() const { return *bench_; }
  const TaskVariant& variant() const { return *variant_; }
  const TaskProblem& problem() const { return problem_; }
  double estimate_bytes() const { return variant_->estimate_bytes(problem_); }
  SpanRecorder& spans() { return spans_; }

  /// Refuses what does not fit, then allocates and uploads; seconds that all of it took. Inputs follow `seed`.
  double prepare(std::uint64_t seed);
  double prepare() { return prepare(problem_.seed); }
  /// Sample of a prepared task. The first of a mode also finds how many repetitions it takes. Throws TaskCancelled.
  TaskSample sample(const TaskSampleOptions& options);
  /// Does it `runs` times from equal inputs over poisoned outputs. Compares the results, of a shipped
  /// variant those whose bits differ from the first, with FP64 by the shipped variant; without `judged` they are left to another process. Throws TaskCancelled.
  TaskVerdict check(int runs, bool judged = true);
  /// Compares results of the same problem, from another program or another process, with the shipped variant's FP64
  /// reference, which is computed once per seed. Needs no prepare().
  CheckReport compare(const TaskResults& results);
  /// Its inputs for a reference outside of the engine; empty where the engine has its own. Needs no prepare().
  TaskResults inputs();
  /// Results follow another seed from now on.
  void reseed(std::uint64_t seed);
  Task& task() { return *task_; }
  bool prepared() const { return task_ != nullptr; }
  void close() {
    task_.reset();
    judge_.reset();
  }
  void cancel() { cancel_.store(true); }

 private:
  /// Repeats `count` times, on the engine's clock.
  TaskTime repeat(int count, TaskMode mode, const AuditPlan& plan, TaskAudit& audit);
  /// One repetition from equal inputs, over poisoned outputs where the task's memory is plain arrays.
  TaskResults once(TaskAudit& audit);

  /// Drawn for each audit.
  unsigned char filler();

  TaskProblem problem_;
  const TaskBench* bench_;
  const TaskVariant* variant_;
  std::atomic<bool> cancel_{false};
  SpanRecorder spans_{1};
  std::unique_ptr<Task> task_;
  bool shipped_ = true;          // the task is the shipped variant's
  std::unique_ptr<Task> judge_;  // of the shipped variant, once results of another are compared
  std::mt19937_64 random_;       // seeded by the system, so that no kernel can follow it
  int repetitions_[3]{};         // per mode; 0 before the first sample
};

}  // namespace bb::engine
