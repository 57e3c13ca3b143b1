#include "event_trace.hpp"

#include <functional>
#include <thread>

namespace bb::cuda {

SpanTable spans_of(std::span<const TimedWork> all, double base_ns, std::uint64_t dropped) {
  SpanTable out;
  out.source = "events";
  out.dropped = dropped;
  std::uint32_t correlation = 0;
  for (const TimedWork& timed : all) {
    Span work = timed.work;
    work.correlation = ++correlation;
    work.start_ns = base_ns + timed.start_s * 1e9;
    work.end_ns = base_ns + timed.end_s * 1e9;
    out.add(work);
    Span call;
    call.kind = SpanKind::kApi;
    call.name = timed.call;
    call.start_ns = timed.call_start_ns;
    call.end_ns = timed.call_end_ns;
    call.stream = timed.thread;
    call.correlation = correlation;
    out.add(call);
  }
  out.sort();
  return out;
}

std::unique_ptr<EventTrace> EventTrace::start(Clock::time_point origin) {
  auto trace = std::make_unique<EventTrace>(Key{}, origin);
  WorkWatcher* nobody = nullptr;
  return work_watcher().compare_exchange_strong(nobody, trace.get()) ? std::move(trace) : nullptr;
}

EventTrace::~EventTrace() {
  WorkWatcher* self = this;
  work_watcher().compare_exchange_strong(self, nullptr);
}

void EventTrace::queue(Stream& stream, const Span& work, const char* call, const std::function<void()>& body) {
  std::unique_lock lock(mutex_);
  if (queued_.size() >= kMaxSpans) {
    ++dropped_;
    lock.unlock();
    body();
    return;
  }
  if (!base_) {  // relates the device's clock to the host's
    base_ = std::make_unique<Event>(stream.device());
    base_->record(stream);
    base_->synchronize(stream);
    base_ns_ = now_ns();
  }
  const auto number = static_cast<std::uint32_t>(streams_.size()) + 1;
  QueuedWork& mark = queued_.emplace_back(
      QueuedWork{TimedWork{.work = work, .call = call}, Event(stream.device()), Event(stream.device())});
  mark.timed.work.stream = streams_.try_emplace(stream.handle(), number).first->second;
  lock.unlock();  // a deque does not move its elements
  mark.timed.thread = static_cast<std::uint32_t>(std::hash<std::thread::id>{}(std::this_thread::get_id()));
  mark.start.record(stream);
  mark.timed.call_start_ns = now_ns();
  body();
  mark.timed.call_end_ns = now_ns();
  mark.end.record(stream);
}

SpanTable EventTrace::stop() {
  WorkWatcher* self = this;
  work_watcher().compare_exchange_strong(self, nullptr);
  const std::scoped_lock lock(mutex_);
  std::vector<TimedWork> all;
  for (QueuedWork& mark : queued_) {
    try {
      mark.end.wait();
      mark.timed.start_s = mark.start.seconds_since(*base_);
      mark.timed.end_s = mark.end.seconds_since(*base_);
      all.push_back(mark.timed);
    } catch (const Error&) {
      ++dropped_;
    }
  }
  SpanTable out = spans_of(all, base_ns_, dropped_);
  queued_.clear();
  return out;
}

}  // namespace bb::cuda
