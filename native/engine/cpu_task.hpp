#pragma once

#include "cpu/thread_pool.hpp"
#include "task.hpp"

namespace bb::engine {

/// Repeats a task of the CPU and times each repetition. A function of the engine and no method of the task: of a user's
/// library the engine calls perform() and nothing else while a clock runs.
TaskTime repeat_on_cpu(Task& task, int repetitions, TaskMode mode, const AuditPlan& plan, TaskAudit& audit);

/// A task on the CPU's threads, timed by the wall clock.
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
  /// One repetition, done when it returns.
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
