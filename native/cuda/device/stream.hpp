#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../trace/span_table.hpp"
#include "device.hpp"

namespace bb::cuda {

/// Returns a copy of `name` that lives as long as the process; equal names give the same pointer.
const char* intern_name(std::string_view name);

/// The distinct kernels launched on a stream since it was last known to be idle. An asynchronous error may come from
/// any of them. Adding a repeated launch costs one comparison.
class LaunchLog {
 public:
  /// `name` must be interned.
  void note(const char* name) {
    if (count_ > 0 && names_[count_ - 1] == name) return;
    insert(name);
  }
  void clear() { count_ = 0, more_ = false; }

  /// "last kernel launched: a", or "one of the kernels launched since: a, b"; empty if there were no launches.
  std::string text() const;

 private:
  void insert(const char* name);

  static constexpr std::size_t kNames = 8;  // more than any step of a run launches
  std::array<const char*, kNames> names_{};
  std::size_t count_ = 0;
  bool more_ = false;
};

class CapturedGraph;
class Event;
class Graph;

/// A stream, non-blocking by default. Used by one thread at a time.
class Stream {
 public:
  explicit Stream(std::shared_ptr<Device> device);
  /// Returns the legacy default stream, used by calls that name no stream.
  static Stream legacy_default(std::shared_ptr<Device> device);
  /// Makes a stream that synchronises with the legacy default stream (CU_STREAM_DEFAULT).
  static Stream with_legacy_default(std::shared_ptr<Device> device);
  Stream(Stream&& other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)), log_(other.log_) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  const std::shared_ptr<Device>& device() const { return device_; }
  api::Stream handle() const { return handle_; }

  /// Waits for all queued work; throws its error if any of it failed.
  void synchronize();
  /// Waits for all queued work and ignores errors, for cleaning up after a failure.
  void synchronize_ignoring_errors() noexcept;
  /// True if all queued work is finished; does not wait.
  bool idle();
  /// Makes later work wait for `event`.
  void wait(const Event& event);

  /// Records later work instead of running it, until end_capture.
  void begin_capture();
  Graph end_capture();
  /// Like end_capture, but does not instantiate the graph.
  CapturedGraph end_capture_only();
  /// Ends a capture after an error, so that the stream can be used again; the captured work is discarded.
  void abandon_capture();

  /// True between begin_capture and end_capture.
  bool capturing() const { return capturing_; }

  /// Marks `bytes` from `base` as persisting in L2, for the share `hit_ratio` of accesses; 0 bytes removes the setting.
  void persist_in_l2(api::DevicePointer base, std::size_t bytes, float hit_ratio);

  /// Like Device::check, but the error names the kernels launched on this stream since it was last idle.
  void check(api::Status status, const char* call) {
    if (status != api::status::kSuccess) device_->check(status, call, log_.text());
  }
  /// `name` must be interned.
  void note_launch(const char* name) { log_.note(name); }

 private:
  Stream(std::shared_ptr<Device> device, api::Stream handle) : device_(std::move(device)), handle_(handle) {}
  api::Graph take_captured();

  std::shared_ptr<Device> device_;
  api::Stream handle_ = nullptr;
  LaunchLog log_;
  bool capturing_ = false;
};

/// A marker in a stream, with a time stamp.
class Event {
 public:
  explicit Event(std::shared_ptr<Device> device, unsigned flags = api::kEventDefault) : device_(std::move(device)) {
    device_->make_current();
    device_->check(driver().EventCreate(&handle_, flags), "cuEventCreate");
  }
  Event(Event&& other) noexcept : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (handle_) driver().EventDestroy(handle_);
  }

  api::Event handle() const { return handle_; }
  void record(Stream& stream) { stream.check(driver().EventRecord(handle_, stream.handle()), "cuEventRecord"); }
  /// Waits for the event; throws the error of earlier work in `stream`.
  void synchronize(Stream& stream) { stream.check(driver().EventSynchronize(handle_), "cuEventSynchronize"); }
  /// Like `synchronize`, for an event that may outlive its stream.
  void wait() { device_->check(driver().EventSynchronize(handle_), "cuEventSynchronize"); }

  /// Device time in seconds between two completed events; the resolution is about 0.5 µs.
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    device_->check(driver().EventElapsedTime(&milliseconds, start.handle_, handle_), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  std::shared_ptr<Device> device_;
  api::Event handle_ = nullptr;
};

/// Observer that times work queued on streams, such as trace/event_trace.hpp. At most one is active.
class WorkWatcher {
 public:
  virtual ~WorkWatcher() = default;
  /// `work` describes the kernel, graph, copy or memset that `body` queues with the driver call `call`.
  virtual void queue(Stream& stream, const Span& work, const char* call, const std::function<void()>& body) = 0;
};

inline std::atomic<WorkWatcher*>& work_watcher() {
  static std::atomic<WorkWatcher*> watcher{nullptr};
  return watcher;
}

/// Queues `body`, through the observer if there is one. Captured work does not run yet, so it is not observed.
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
