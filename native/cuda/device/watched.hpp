#pragma once

#include <atomic>
#include <functional>

#include "../trace/span_table.hpp"
#include "stream.hpp"

namespace bb::cuda {

/// Whoever times what is queued on streams, such as trace/event_trace.hpp. There is one at a time.
class WorkWatcher {
 public:
  virtual ~WorkWatcher() = default;
  /// `work` names the kernel, graph, copy or memset that `body` queues, by the driver call `call`.
  virtual void queue(Stream& stream, const Span& work, const char* call, const std::function<void()>& body) = 0;
};

inline std::atomic<WorkWatcher*>& work_watcher() {
  static std::atomic<WorkWatcher*> watcher{nullptr};
  return watcher;
}

/// Queues `body`, before the eyes of the watcher where there is one. What a stream captures is not run, and not seen.
template <typename Body>
void queue_watched(Stream& stream, const Span& work, const char* call, Body&& body) {
  WorkWatcher* const watcher = work_watcher().load(std::memory_order_relaxed);
  if (watcher == nullptr || stream.capturing()) {
    body();
  } else {
    watcher->queue(stream, work, call, body);
  }
}

}  // namespace bb::cuda
