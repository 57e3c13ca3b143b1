#pragma once

#include "cpu/thread_pool.hpp"
#include "task.hpp"

namespace bb::engine {

/// Changes some of the input values in `values`, by whole grains, but never the first or the last ones of an array. The
/// changes depend only on `seed`, so that two processes alter equal inputs alike. An implementation that recognises its
/// inputs by a part of them mistakes altered inputs for known ones, and returns wrong results.
void alter(const std::vector<TaskArray>& inputs, std::vector<std::vector<std::byte>>& values, std::uint64_t seed);

/// Repeats a CPU task and times each repetition. It is not a method of the task, so that a user's library executes only
/// perform() while it is timed.
TaskTime repeat_on_cpu(Task& task, int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit);

/// A task that runs on CPU threads and is timed by the wall clock.
class CpuTask : public Task {
 public:
  explicit CpuTask(const TaskProblem& problem);

  TaskTime repeat(int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit) final {
    return repeat_on_cpu(*this, repetitions, mode, plan, audit);
  }
  void perform() final { run(); }
  void once() final {
    reset();
    run();
  }
  TaskClock clock() const final { return TaskClock::kWall; }
  int lanes() const final { return pool_.lanes(); }
  void watch_threads(SpanRecorder* recorder) final;

 protected:
  /// Runs one repetition, synchronously.
  virtual void run() = 0;
  /// Restores inputs that a repetition changes; for once(), never timed.
  virtual void reset() {}

  const TaskProblem& problem() const { return problem_; }
  cpu::ThreadPool& pool() { return pool_; }

 private:
  TaskProblem problem_;
  cpu::ThreadPool pool_;
};

}  // namespace bb::engine
