#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace bb::engine {

/// Step number of spans that belong to no step.
inline constexpr std::uint32_t kNoStep = 0xffffffff;

/// Named intervals of work per thread, in nanoseconds since the run began. Each thread writes its own lane; lanes are
/// created before the run, so recording takes no lock. A full lane counts the spans that it drops.
class SpanRecorder {
 public:
  struct Span {
    std::uint16_t name;
    std::uint32_t step;
    double start_ns, end_ns;
  };
  struct Lane {
    std::vector<Span> spans;
    std::uint64_t dropped = 0;
  };

  explicit SpanRecorder(int lanes) : lanes_(static_cast<std::size_t>(lanes)), origin_(Clock::now()) {}

  std::uint16_t name_id(const std::string& name) {
    const std::scoped_lock lock(names_mutex_);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<std::uint16_t>(i);
    }
    names_.push_back(name);
    return static_cast<std::uint16_t>(names_.size() - 1);
  }

  /// Adds lanes before further threads start; never removes any.
  void widen(int lanes) { lanes_.resize(std::max(lanes_.size(), static_cast<std::size_t>(lanes))); }
  /// Moves the origin, so that time after the last span, such as waiting in a queue, is not part of the run.
  void close_gap() {
    double last = 0.0;
    for (const Lane& lane : lanes_) {
      for (const Span& span : lane.spans) last = std::max(last, span.end_ns);
    }
    origin_ =
        Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::nano>(last));
  }

  std::chrono::steady_clock::time_point origin() const { return origin_; }
  double ns_at(std::chrono::steady_clock::time_point when) const {
    return std::chrono::duration<double, std::nano>(when - origin_).count();
  }
  double now_ns() const { return ns_at(Clock::now()); }

  void record(int lane, std::uint16_t name, std::uint32_t step, double start_ns, double end_ns) {
    Lane& l = lanes_[static_cast<std::size_t>(lane)];
    if (l.spans.size() < kLaneLimit) {
      l.spans.push_back({name, step, start_ns, end_ns});
    } else {
      ++l.dropped;
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLaneLimit = 200'000;  // 6 MB per lane

  std::mutex names_mutex_;
  std::vector<std::string> names_;
  std::vector<Lane> lanes_;
  Clock::time_point origin_;
};

/// Records the interval from construction to destruction.
class ScopedSpan {
 public:
  ScopedSpan(SpanRecorder& recorder, int lane, std::uint16_t name, int step)
      : recorder_(recorder), lane_(lane), name_(name), step_(step), start_(recorder.now_ns()) {}
  ScopedSpan(const ScopedSpan&) = delete;
  ScopedSpan& operator=(const ScopedSpan&) = delete;
  ~ScopedSpan() { recorder_.record(lane_, name_, static_cast<std::uint32_t>(step_), start_, recorder_.now_ns()); }

 private:
  SpanRecorder& recorder_;
  int lane_;
  std::uint16_t name_;
  int step_;
  double start_;
};

}  // namespace bb::engine
