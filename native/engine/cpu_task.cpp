#include "cpu_task.hpp"

#include "cpu/caches.hpp"
#include "cpu/stopwatch.hpp"

namespace bb::engine {

namespace {

using cpu::Clock;

/// Records what each thread does for as long as it lives.
class Watched {
 public:
  Watched(cpu::ThreadPool& pool, SpanRecorder* recorder) : pool_(pool) {
    if (recorder == nullptr) return;
    const std::uint16_t name = recorder->name_id("work");
    pool_.watch([recorder, name](int lane, Clock::time_point start, Clock::time_point end) {
      recorder->record(1 + lane, name, kNoStep, recorder->ns_at(start), recorder->ns_at(end));
    });
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { pool_.watch({}); }

 private:
  cpu::ThreadPool& pool_;
};

}  // namespace

CpuTask::CpuTask(const TaskProblem& problem) : problem_(problem), pool_(cpu::thread_count(problem.threads)) {}

TaskTime CpuTask::repeat(int repetitions, TaskMode mode) {
  if (mode == TaskMode::kGraph) {
    throw ProblemError("unsupported", "the CPU launches nothing that a graph could replay");
  }
  const Watched watched(pool_, recorder);
  TaskTime out;
  for (int i = 0; i < repetitions; ++i) {
    stop_if_cancelled();
    if (mode == TaskMode::kCold) cpu::empty_caches();
    const Clock::time_point start = Clock::now();
    repetition("repetition", [&] { run(); });
    out.wall_s += cpu::seconds_since(start);
  }
  return out;
}

}  // namespace bb::engine
