#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "device_info.hpp"
#include "error.hpp"
#include "memory_cache.hpp"

namespace bb::cuda {

/// Policy for released memory.
enum class Reuse {
  kNo,   // freed, once the device has done what uses it
  kYes,  // cached for the next allocation: the releasing code guarantees that nothing uses it any more
};

/// A block that was taken, with its size.
template <typename Pointer>
struct Taken {
  Pointer pointer{};
  std::size_t bytes = 0;
  Reuse reuse = Reuse::kNo;
};

struct DeviceMemory {
  std::uint64_t free_bytes, total_bytes;
};

/// One GPU with its primary context, which other libraries in the process (cuBLAS, CUPTI) share.
class Device {
 public:
  /// The process's one Device of that UUID; its context stays open until the program ends, because making
  /// one costs hundreds of milliseconds. Throws "device" if it is lost or cannot be used.
  static std::shared_ptr<Device> open(const DeviceInfo& info);

  explicit Device(const DeviceInfo& info);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  const DeviceInfo& info() const { return info_; }
  api::Context context() const { return context_; }

  /// Makes the context current on the calling thread. Each thread that uses the device calls it once;
  /// constructors and destructors of what lives on the device call it themselves.
  void make_current() const;

  /// Waits for all work on the device.
  void synchronize() const;
  /// Free memory as the driver reports it, and memory cached here for the next run.
  DeviceMemory memory() const;

  /// At least `bytes` of the device's memory, or of page-locked memory of the host; nothing for 0. Throws "memory" with
  /// the requested size.
  Taken<api::DevicePointer> take_memory(std::size_t bytes, Reuse reuse);
  Taken<void*> take_pinned(std::size_t bytes, Reuse reuse);
  /// Take it back. Never throw: a lost device's memory is gone with its context.
  void give_memory(const Taken<api::DevicePointer>& taken) noexcept;
  void give_pinned(const Taken<void*>& taken) noexcept;

  /// Throws the error of a failed call; a sticky one marks the device lost. `kernels` says which launches
  /// may have caused it.
  void check(api::Status status, const char* call, std::string_view kernels = {}) const {
    if (status != api::status::kSuccess) fail(status, call, kernels);
  }

 private:
  [[noreturn]] void fail(api::Status status, const char* call, std::string_view kernels) const;

  DeviceInfo info_;
  api::Context context_ = nullptr;
  MemoryCache<api::DevicePointer> memory_;
  MemoryCache<void*> pinned_;
};

/// Refuses work that would not fit: throws "memory" if `bytes` exceeds what is free less a reserve for the
/// driver's own needs (local memory, graphs, module images). `what` is named in the message.
void require_memory(const Device& device, std::uint64_t bytes, std::string_view what);

/// "1.25 GiB", "640 MiB", "12 bytes"
std::string bytes_text(std::uint64_t bytes);

}  // namespace bb::cuda
