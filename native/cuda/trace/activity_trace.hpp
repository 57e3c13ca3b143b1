#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/api/cupti_api.hpp"
#include "span_table.hpp"

namespace bb::cuda {

/// Returns the name of a driver call from CUPTI's number.
using CallbackName = std::function<std::string_view(std::uint32_t callback)>;

/// Returns the span of one CUPTI record; nothing for a kind that is not used, or without time stamps. The name points
/// into the record or to storage of `call_name`.
std::optional<Span> span_of(const api::ActivityRecord& record, std::uint64_t origin_ns, const CallbackName& call_name);

enum class GraphDetail {
  kNodes,   // a span per node of a graph: complete, but replay is slower
  kGraphs,  // a span per graph launch: full speed; graphs must be captured after the start
};

/// Records device work and driver calls of the whole process through CUPTI during its lifetime. Only one may exist.
/// Tracing slows launches, even after it has stopped (2.37 to 2.69 µs each on an H200 host, CUPTI 13.0), so take
/// timings first and the trace last.
class ActivityTrace {
  class Key {};  // restricts construction to start()

 public:
  using Clock = std::chrono::steady_clock;

  /// Starts recording; spans are relative to `origin`. Returns null, with a sentence in `reason`, if CUPTI is missing
  /// or cannot record (another profiler, a virtual GPU). Also returns null if a trace is already running and, for
  /// `kGraphs`, while a Graph exists: CUPTI 13.0 crashes in cuGraphLaunch on a graph captured before it was enabled.
  static std::unique_ptr<ActivityTrace> start(GraphDetail detail, Clock::time_point origin, std::string& reason);
  explicit ActivityTrace(Key) {}
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;
  ~ActivityTrace();

  /// Ends recording and returns the spans in order of start. Synchronise the device first, because unfinished work is
  /// not recorded.
  SpanTable stop();

 private:
  bool running_ = true;
};

}  // namespace bb::cuda
