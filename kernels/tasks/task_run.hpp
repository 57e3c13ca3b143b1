#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/spans.hpp"
#include "engine/task.hpp"

namespace bb::engine {

struct TaskSampleOptions {
  TaskMode mode = TaskMode::kWarm;
  /// Repetitions are as many as this takes, of the clock that counts: below it, events and the clock's own steps show.
  double at_least_s = 0.01;
  /// Every repetition is recorded, of at most kMostTraced: what a person looks at.
  bool trace = false;
};

inline constexpr int kMostTraced = 10;

/// One timing: means over `repetitions`, seconds.
struct TaskSample {
  int repetitions = 0;
  double device_s = kAbsent, wall_s = kAbsent;
  double time_s = 0;  // of the clock that counts
};

struct TaskVerdict {
  CheckReport report;
  bool holds = false;   // every check
  int runs = 0;         // with equal inputs
  bool bitwise = true;  // whose results have equal bits
  std::string hash;     // of the first, 16 hexadecimal digits
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

  /// Refuses what does not fit, then allocates and uploads; seconds that all of it took.
  double prepare();
  /// Sample of a prepared task. The first of a mode also finds how many repetitions it takes. Throws TaskCancelled.
  TaskSample sample(const TaskSampleOptions& options);
  /// Does it `runs` times from equal inputs and compares with FP64: the first result, of a user's variant each one,
  /// and by the variant that it was made from, since none is to judge itself. Throws TaskCancelled.
  TaskVerdict check(int runs);
  /// What another program computed of the same problem, held to the same reference. Needs no prepare().
  CheckReport compare(const TaskResults& results) const { return variant_->make(problem_)->compare(results); }
  Task& task() { return *task_; }
  bool prepared() const { return task_ != nullptr; }
  void close() {
    task_.reset();
    judge_.reset();
  }
  void cancel() { cancel_.store(true); }

 private:
  TaskProblem problem_;
  const TaskBench* bench_;
  const TaskVariant* variant_;
  std::atomic<bool> cancel_{false};
  SpanRecorder spans_{1};
  std::unique_ptr<Task> task_;
  std::unique_ptr<Task> judge_;  // where the task is a user's
  int repetitions_[3]{};         // per mode; 0 before the first sample
};

}  // namespace bb::engine
