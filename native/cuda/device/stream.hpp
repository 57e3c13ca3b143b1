#pragma once

#include <memory>
#include <utility>

#include "device.hpp"
#include "launch_log.hpp"

namespace bb::cuda {

class CapturedGraph;
class Event;
class Graph;

/// A stream, non-blocking unless made otherwise. Used by one thread at a time.
class Stream {
 public:
  explicit Stream(std::shared_ptr<Device> device);
  /// The legacy default stream, the one that code gets which names none.
  static Stream legacy_default(std::shared_ptr<Device> device);
  /// A stream whose work and the legacy default stream's wait for each other (CU_STREAM_DEFAULT).
  static Stream beside_default(std::shared_ptr<Device> device);
  Stream(Stream&& other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)), log_(other.log_) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  const std::shared_ptr<Device>& device() const { return device_; }
  api::Stream handle() const { return handle_; }

  /// Waits for everything queued; throws the error of whatever failed among it.
  void synchronize();
  /// Waits for everything queued, whatever becomes of it: for those who clean up after a failure.
  void settle() noexcept;
  /// Whether everything queued is done, without waiting.
  bool idle();
  /// Later work waits for `event`.
  void wait(const Event& event);

  /// Records what follows instead of running it, until end_capture.
  void begin_capture();
  Graph end_capture();
  /// The same without making it launchable.
  CapturedGraph end_capture_only();
  /// Ends a capture in which something failed, so that the stream is of use again; what it holds is broken.
  void abandon_capture();

  /// Between begin_capture and end_capture.
  bool capturing() const { return capturing_; }

  /// Keeps accesses to `bytes` from `base` in the persisting part of L2 for `hit_ratio` of them; 0 bytes undoes it.
  void persist_in_l2(api::DevicePointer base, std::size_t bytes, float hit_ratio);

  /// As Device::check, with the kernels launched here since it was last idle.
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

}  // namespace bb::cuda
