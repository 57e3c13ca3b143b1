#pragma once

#include <memory>
#include <utility>

#include "stream.hpp"

namespace bb::cuda {

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
  /// Waits for the event; the error of work before it in `stream` is thrown.
  void synchronize(Stream& stream) { stream.check(driver().EventSynchronize(handle_), "cuEventSynchronize"); }
  /// The same for an event that may outlive its stream.
  void wait() { device_->check(driver().EventSynchronize(handle_), "cuEventSynchronize"); }

  /// Device time between two events that were both reached, s; resolution about 0.5 µs.
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    device_->check(driver().EventElapsedTime(&milliseconds, start.handle_, handle_), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  std::shared_ptr<Device> device_;
  api::Event handle_ = nullptr;
};

}  // namespace bb::cuda
