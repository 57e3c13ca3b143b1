#include "event_spans.hpp"

namespace bb::cuda {

EventSpans::EventSpans(Stream& stream, Clock::time_point origin) : stream_(stream), base_(stream.device()) {
  stream_.synchronize();
  base_.record(stream_);
  base_.synchronize(stream_);
  base_ns_ = std::chrono::duration<double, std::nano>(Clock::now() - origin).count();
}

SpanTable EventSpans::finish() {
  stream_.synchronize();
  SpanTable out;
  out.source = "events";
  out.dropped = dropped_;
  for (const Mark& mark : marks_) {
    Span span;
    span.kind = mark.kind;
    span.name = mark.name;
    span.start_ns = base_ns_ + mark.start.seconds_since(base_) * 1e9;
    span.end_ns = base_ns_ + mark.end.seconds_since(base_) * 1e9;
    out.add(span);
  }
  marks_.clear();
  out.sort();
  return out;
}

}  // namespace bb::cuda
