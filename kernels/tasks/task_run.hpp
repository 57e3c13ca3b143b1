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
  /// Repetitions fill at least this time by the clock of the variant, so that overheads and clock steps are negligible.
  double at_least_s = 0.01;
  /// Records every repetition, at most kMaxTraced, for display as a trace.
  bool trace = false;
  /// Audits one repetition at an unpredictable position; `probe`: the sample also ends with a MemoryProbe.
  bool audit = false, probe = false;
  /// Changes some inputs at unpredictable repetitions, on a CPU.
  bool hide = false;
  /// Seed for one additional repetition with altered inputs in an audited sample; 0 for none.
  std::uint64_t alteration = 0;
  /// Runs some repetitions with rotated inputs, for TaskAudit::swapped_s. Valid only for the first sample after
  /// prepare().
  bool swapped = false;
};

inline constexpr int kMaxTraced = 10;

/// One timing: mean times over `repetitions`, in seconds.
struct TaskSample {
  int repetitions = 0;
  double device_s = kAbsent, wall_s = kAbsent;
  double time_s = 0;   // device_s or wall_s, by the clock of the variant
  double timed_s = 0;  // all repetitions together, by the wall clock
  TaskAudit audit;
};

struct TaskVerdict {
  CheckReport report;
  bool holds = false;   // true if every check passed
  int runs = 0;         // number of runs with equal inputs
  bool bitwise = true;  // true if their results have equal bits
  std::string hash;     // of the first run, 16 hexadecimal digits
  /// Results that another process compares with FP64: those of the first run, and of each run whose bits differ from
  /// it.
  std::vector<TaskResults> unjudged;
  TaskAudit audit;  // all runs together, without their results
};

/// Runs one variant on one problem. Calls must be sequential, from any thread; `cancel` may be called from any thread
/// at any time.
class TaskRun {
 public:
  /// Chooses the variant. Throws ProblemError.
  explicit TaskRun(TaskProblem problem);

  const TaskBench& bench() const { return *bench_; }
  const TaskVariant& variant() const { return *variant_; }
  const TaskProblem& problem() const { return problem_; }
  double estimate_bytes() const { return variant_->estimate_bytes(problem_); }
  SpanRecorder& spans() { return spans_; }

  /// Throws if the problem does not fit into memory; otherwise allocates and uploads. Returns the seconds needed.
  /// `seed` determines the inputs.
  double prepare(std::uint64_t seed);
  double prepare() { return prepare(problem_.seed); }
  /// Takes a sample of a prepared task. The first sample of a mode also determines how many repetitions a sample of
  /// this mode has. Throws TaskCancelled.
  TaskSample sample(const TaskSampleOptions& options);
  /// Runs the task `runs` times from equal inputs over poisoned outputs, and compares the results with FP64 by the
  /// shipped variant. For a shipped variant, only results with new bits are compared. Without `judged` the comparison
  /// is left to another process. Throws TaskCancelled.
  TaskVerdict check(int runs, bool judged = true);
  /// Compares results of the same problem, from another program or process, with the shipped variant's FP64 reference,
  /// which is computed once per seed. Needs no prepare().
  CheckReport compare(const TaskResults& results);
  /// Inputs for a reference outside the engine; empty if the engine has its own reference. Needs no prepare().
  TaskResults inputs();
  /// Makes the inputs of later repetitions from this seed.
  void reseed(std::uint64_t seed);
  Task& task() { return *task_; }
  bool prepared() const { return task_ != nullptr; }
  void close() {
    task_.reset();
    judge_.reset();
  }
  void cancel() { cancel_.store(true); }

 private:
  /// Repeats `count` times, timed by the engine's clock.
  TaskTime repeat(int count, TaskMode mode, const AuditPlan& plan, TaskAudit& audit);
  /// One repetition from equal inputs, over poisoned outputs if the task's memory is plain arrays.
  TaskResults once(TaskAudit& audit);

  /// Random fill byte for poisoning memory; drawn for each audit.
  unsigned char filler_byte();

  TaskProblem problem_;
  const TaskBench* bench_;
  const TaskVariant* variant_;
  std::atomic<bool> cancel_{false};
  SpanRecorder spans_{1};
  std::unique_ptr<Task> task_;
  bool shipped_ = true;            // true if the task is the shipped variant
  std::unique_ptr<Task> judge_;    // the shipped variant, made when results of another variant are compared
  std::mt19937_64 random_;         // seeded by the system, so that no kernel can predict it
  int repetitions_[kTaskModes]{};  // per mode; 0 before the first sample
};

}  // namespace bb::engine
