#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "../device/buffer.hpp"
#include "../device/stream.hpp"
#include "cpu/stopwatch.hpp"
#include "cuda/device/stream.hpp"

namespace bb::cuda {

/// Removes data from the L2 cache that a measured kernel might find there, by writing a buffer of twice its size.
class L2Flush {
 public:
  explicit L2Flush(const std::shared_ptr<Device>& device)
      : buffer_(device, std::max<std::size_t>(2 * device->info().l2_bytes, kSmallest_bytes)) {}

  /// Queues the write.
  void run(Stream& stream) { buffer_.fill_bytes(value_++, stream); }

 private:
  static constexpr std::size_t kSmallest_bytes = 1 << 20;  // for a device that does not report its L2 size

  DeviceBuffer<unsigned char> buffer_;
  unsigned char value_ = 0;
};

/// Times work by the device's clock, from one event to another.
class DeviceTimer {
 public:
  explicit DeviceTimer(const std::shared_ptr<Device>& device) : start_(device), stop_(device) {}

  /// Device time in seconds of the work that `body` queues on `stream`. With `flush`, L2 is emptied first, outside the
  /// timed interval. The flush also keeps the device busy while the host queues the body, so that launch gaps do not
  /// count.
  template <typename Body>
  double seconds(Stream& stream, L2Flush* flush, Body&& body) {
    if (flush) flush->run(stream);
    start_.record(stream);
    body();
    stop_.record(stream);
    stream.synchronize();
    return stop_.seconds_since(start_);
  }

 private:
  Event start_, stop_;
};

/// Wall time in seconds from an idle device until all work that `body` queues is finished; includes queueing, but not
/// `flush`.
template <typename Body>
double wall_seconds(Stream& stream, L2Flush* flush, Body&& body) {
  if (flush) flush->run(stream);
  stream.synchronize();
  const cpu::Clock::time_point start = cpu::Clock::now();
  body();
  stream.synchronize();
  return cpu::seconds_since(start);
}

}  // namespace bb::cuda
