#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "span_table.hpp"

namespace bb::cuda {

enum class GraphDetail {
  kNodes,   // a span per node of a graph: slower replay, everything seen
  kGraphs,  // a span per graph launch: replay at its own speed; the graphs are captured after the start
};

/// Records device work and driver calls of the whole process through CUPTI while it lives. One at a time.
/// Tracing slows launches, also after it has stopped (2.37 to 2.69 µs each on an H200 host, CUPTI 13.0): take
/// timings first and the trace last.
class ActivityTrace {
  class Key {};  // only start() makes one

 public:
  using Clock = std::chrono::steady_clock;

  /// Starts recording; spans count from `origin`. Null with one sentence in `reason` where CUPTI is missing,
  /// refuses (another profiler holds the process, a virtual GPU), or a trace runs already; and for `kGraphs`
  /// while a Graph exists, because CUPTI 13.0 crashes in cuGraphLaunch on one captured before it was enabled.
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
