#pragma once

#include "cpu/thread_pool.hpp"
#include "task.hpp"

namespace bb::engine {

/// A task on the CPU's threads, timed by the wall clock.
class CpuTask : public Task {
 public:
  explicit CpuTask(const TaskProblem& problem);

  TaskTime repeat(int repetitions, TaskMode mode) final;
  void once() final {
    reset();
    run();
  }
  TaskClock clock() const final { return TaskClock::kWall; }
  int lanes() const final { return pool_.lanes(); }

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
