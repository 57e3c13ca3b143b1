#pragma once

#include <functional>
#include <vector>

#include "cpu/thread_pool.hpp"
#include "engine/spans.hpp"

namespace bb::transport {

/// Runs one pass of a step on all lanes. Records one span per participating lane, from the start of its first task to
/// the end of its last.
template <typename F>
void run_pass(cpu::ThreadPool& pool, engine::SpanRecorder& spans, const char* name, int step, int tasks, F&& work) {
  struct alignas(64) Interval {
    double start = -1.0, end = 0.0;
  };
  std::vector<Interval> busy(static_cast<std::size_t>(pool.lanes()));
  pool.run(tasks, [&](int task, int lane) {
    Interval& mine = busy[static_cast<std::size_t>(lane)];
    if (mine.start < 0.0) mine.start = spans.now_ns();
    work(task, lane);
    mine.end = spans.now_ns();
  });
  const std::uint16_t id = spans.name_id(name);
  for (int lane = 0; lane < pool.lanes(); ++lane) {
    const Interval& mine = busy[static_cast<std::size_t>(lane)];
    if (mine.start >= 0.0) spans.record(lane, id, static_cast<std::uint32_t>(step), mine.start, mine.end);
  }
}

}  // namespace bb::transport
