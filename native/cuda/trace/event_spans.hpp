#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "../device/event.hpp"
#include "span_table.hpp"

namespace bb::cuda {

/// Spans from pairs of events: the timeline where CUPTI is missing. It sees what is marked, on one stream,
/// to about half a microsecond, and its host alignment is one synchronisation's latency.
class EventSpans {
 public:
  using Clock = std::chrono::steady_clock;

  /// Synchronises `stream` once to tie the device's clock to the host's; spans count from `origin`.
  EventSpans(Stream& stream, Clock::time_point origin);

  /// Queues `body` between two events. Past `kMostSpans` it is only run, and counted as dropped.
  template <typename Body>
  void mark(SpanKind kind, std::string_view name, Body&& body) {
    if (marks_.size() >= kMostSpans) {
      ++dropped_;
      body();
      return;
    }
    marks_.push_back({kind, std::string(name), Event(stream_.device()), Event(stream_.device())});
    marks_.back().start.record(stream_);
    body();
    marks_.back().end.record(stream_);
  }

  /// Waits for the stream and reads the events.
  SpanTable finish();

  static constexpr std::size_t kMostSpans = 20'000;  // an event costs the driver about a kilobyte

 private:
  struct Mark {
    SpanKind kind;
    std::string name;
    Event start, end;
  };

  Stream& stream_;
  Event base_;
  double base_ns_ = 0;  // of `base_` since the origin
  std::vector<Mark> marks_;
  std::uint64_t dropped_ = 0;
};

}  // namespace bb::cuda
