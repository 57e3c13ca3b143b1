#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cuda/device/stream.hpp"
#include "span_table.hpp"

namespace bb::cuda {

/// One piece of device work, timed by two events and by the host's clock.
struct TimedWork {
  Span work;                                  // name, shape, bytes and stream
  const char* call = "";                      // driver call that queued it
  double start_s = 0, end_s = 0;              // on the device, relative to the base event
  double call_start_ns = 0, call_end_ns = 0;  // on the host, relative to the trace's origin
  std::uint32_t thread = 0;
};

/// Spans of the work and of the calls that queued it, with matching correlation numbers; `base_ns` is the time of the
/// base event on the host's clock.
SpanTable spans_of(std::span<const TimedWork> all, double base_ns, std::uint64_t dropped);

/// Records device work of the whole process as a timeline without CUPTI, with an event before and after each launch,
/// copy and memset. A graph is one span. Events are accurate to about half a microsecond and prevent overlap of work
/// within a stream. They slow each launch by some microseconds, so take timings first.
class EventTrace final : public WorkWatcher {
  class Key {};  // restricts construction to start()

 public:
  using Clock = std::chrono::steady_clock;

  /// Returns null if another trace is active; spans are relative to `origin`.
  static std::unique_ptr<EventTrace> start(Clock::time_point origin);
  EventTrace(Key, Clock::time_point origin) : origin_(origin) {}
  EventTrace(const EventTrace&) = delete;
  EventTrace& operator=(const EventTrace&) = delete;
  ~EventTrace() override;

  void queue(Stream& stream, const Span& work, const char* call, const std::function<void()>& body) override;

  /// Ends recording and waits for queued work. Work that a failed device did not finish is counted as dropped.
  SpanTable stop();

  static constexpr std::size_t kMaxSpans = 50'000;  // an event needs about a kilobyte in the driver

 private:
  struct QueuedWork {
    TimedWork timed;
    Event start, end;
  };

  double now_ns() const { return std::chrono::duration<double, std::nano>(Clock::now() - origin_).count(); }

  Clock::time_point origin_;
  std::mutex mutex_;
  std::unique_ptr<Event> base_;  // recorded on the device of the first work
  double base_ns_ = 0;
  std::deque<QueuedWork> queued_;
  std::map<api::Stream, std::uint32_t> streams_;
  std::uint64_t dropped_ = 0;
};

}  // namespace bb::cuda
