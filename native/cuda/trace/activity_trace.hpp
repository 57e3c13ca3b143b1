#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "span_table.hpp"

namespace bb::cuda {

enum class GraphDetail {
  kNodes,   // a span per node of a graph: slower replay, everything seen
  kGraphs,  // a span per graph launch: replay at its own speed
};

/// Records device work and driver calls of the whole process through CUPTI while it lives. Tracing slows
/// launches, so no timing that is reported is taken under it. One at a time.
class ActivityTrace {
  class Key {};  // only start() makes one

 public:
  using Clock = std::chrono::steady_clock;

  /// Starts recording; spans count from `origin`. Null with one sentence in `reason` where CUPTI is missing,
  /// refuses (another profiler holds the process, a virtual GPU), or a trace runs already.
  static std::unique_ptr<ActivityTrace> start(GraphDetail detail, Clock::time_point origin, std::string& reason);
  explicit ActivityTrace(Key) {}
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;
  ~ActivityTrace();

  /// Ends recording and gives what was recorded, in order of start. Synchronise the device first: unfinished
  /// work is not recorded.
  SpanTable stop();

 private:
  bool running_ = true;
};

}  // namespace bb::cuda
