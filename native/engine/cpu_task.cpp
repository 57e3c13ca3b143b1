#include "cpu_task.hpp"

#include <algorithm>
#include <thread>

#include "cpu/caches.hpp"

namespace bb::engine {
namespace {

using Clock = std::chrono::steady_clock;

int lanes(int wanted) {
  const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return wanted > 0 ? std::min(wanted, 4 * all) : all;
}

}  // namespace

CpuTask::CpuTask(const TaskProblem& problem) : problem_(problem), pool_(lanes(problem.threads)) {}

TaskTime CpuTask::repeat(int repetitions, TaskMode mode) {
  if (mode == TaskMode::kGraph) {
    throw ProblemError("unsupported", "the CPU launches nothing that a graph could replay");
  }
  TaskTime out;
  for (int i = 0; i < repetitions; ++i) {
    stop_if_cancelled();
    if (mode == TaskMode::kCold) cpu::empty_caches();
    const Clock::time_point start = Clock::now();
    run();
    out.wall_s += std::chrono::duration<double>(Clock::now() - start).count();
  }
  return out;
}

}  // namespace bb::engine
