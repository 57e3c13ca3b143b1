#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "../device/event.hpp"
#include "../device/watched.hpp"
#include "span_table.hpp"

namespace bb::cuda {

/// One piece of device work as two events and the host's clock saw it.
struct TimedWork {
  Span work;                                  // name, shape, bytes and stream
  const char* call = "";                      // that queued it
  double start_s = 0, end_s = 0;              // on the device, since the base
  double call_start_ns = 0, call_end_ns = 0;  // on the host, since the trace's origin
  std::uint32_t thread = 0;
};

/// Spans of the work and of the calls that queued it, correlated; `base_ns` is the base on the host's clock.
SpanTable spans_of(std::span<const TimedWork> all, double base_ns, std::uint64_t dropped);

/// Records device work of the whole process by an event before and one behind each launch, copy and memset: the
/// timeline where CUPTI is missing. A graph is one span. Events are good to about half a microsecond, keep two pieces
/// of work from overlapping in a stream; they slow launches by some microseconds each: take timings first.
class EventTrace final : public WorkWatcher {
  class Key {};  // only start() makes one

 public:
  using Clock = std::chrono::steady_clock;

  /// Null if another trace is active; spans count from `origin`.
  static std::unique_ptr<EventTrace> start(Clock::time_point origin);
  EventTrace(Key, Clock::time_point origin) : origin_(origin) {}
  EventTrace(const EventTrace&) = delete;
  EventTrace& operator=(const EventTrace&) = delete;
  ~EventTrace() override;

  void queue(Stream& stream, const Span& work, const char* call, const std::function<void()>& body) override;

  /// Ends recording and waits for what was queued. What a device that failed did not end is counted as dropped.
  SpanTable stop();

  static constexpr std::size_t kMostSpans = 50'000;  // an event costs the driver about a kilobyte

 private:
  struct Mark {
    TimedWork timed;
    Event start, end;
  };

  double now_ns() const { return std::chrono::duration<double, std::nano>(Clock::now() - origin_).count(); }

  Clock::time_point origin_;
  std::mutex mutex_;
  std::unique_ptr<Event> base_;  // on the device of the first work
  double base_ns_ = 0;
  std::deque<Mark> marks_;
  std::map<api::Stream, std::uint32_t> streams_;
  std::uint64_t dropped_ = 0;
};

}  // namespace bb::cuda
