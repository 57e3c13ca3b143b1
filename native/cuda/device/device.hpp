#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "device_info.hpp"
#include "error.hpp"

namespace bb::cuda {

/// Blocks of one kind of memory, cached for the next allocation that fits. A run allocates about twenty blocks, and the
/// driver needs milliseconds to map and unmap them. Thread-safe.
template <typename Pointer>
class MemoryCache {
 public:
  /// `limit`: largest number of cached bytes.
  explicit MemoryCache(std::size_t limit) : limit_(limit) {}

  /// Rounds `bytes` up by at most an eighth, so that a slightly larger scenario can reuse the blocks of an earlier one.
  static std::size_t rounded(std::size_t bytes) {
    std::size_t step = kSmallest;
    while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
  }

  /// Takes the smallest cached block of at least `size` bytes, unless it is more than twice as large. Returns its size;
  /// 0 if there is none.
  std::size_t take(std::size_t size, Pointer& pointer) {
    const std::scoped_lock lock(mutex_);
    const auto found = cached_.lower_bound(size);
    if (found == cached_.end() || found->first > 2 * size) return 0;
    const std::size_t taken = found->first;
    pointer = found->second.pointer;
    cached_.erase(found);
    bytes_ -= taken;
    return taken;
  }

  /// Caches an unused block and evicts the oldest ones, because runs of another kind need other sizes. Returns the
  /// blocks that the caller must free; a block larger than the limit is itself returned.
  std::vector<Pointer> keep(std::size_t size, Pointer pointer) {
    const std::scoped_lock lock(mutex_);
    if (size > limit_) return {pointer};
    std::vector<Pointer> out;
    while (bytes_ + size > limit_) {
      const auto oldest = std::ranges::min_element(cached_, {}, [](const auto& block) { return block.second.since; });
      out.push_back(oldest->second.pointer);
      bytes_ -= oldest->first;
      cached_.erase(oldest);
    }
    cached_.emplace(size, CachedBlock{pointer, ++times_});
    bytes_ += size;
    return out;
  }

  /// Removes all cached blocks and returns them, so that the caller can free them.
  std::vector<Pointer> drain() {
    const std::scoped_lock lock(mutex_);
    std::vector<Pointer> out;
    for (const auto& [size, block] : cached_) out.push_back(block.pointer);
    cached_.clear();
    bytes_ = 0;
    return out;
  }

  std::size_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }

 private:
  static constexpr std::size_t kSmallest = 512;

  struct CachedBlock {
    Pointer pointer;
    std::uint64_t since;
  };

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::uint64_t times_ = 0;
  std::multimap<std::size_t, CachedBlock> cached_;  // by size
};

/// Policy for released memory.
enum class Reuse {
  kNo,   // freed, once the device has finished the work that uses it
  kYes,  // cached for the next allocation: the releasing code guarantees that no work uses it
};

/// An allocated block with its size.
template <typename Pointer>
struct AllocatedBlock {
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
  /// Returns the process's only Device with that UUID. Its context stays open until the program ends, because creating
  /// one takes hundreds of milliseconds. Throws "device" if the device is lost or cannot be used.
  static std::shared_ptr<Device> open(const DeviceInfo& info);

  explicit Device(const DeviceInfo& info);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  const DeviceInfo& info() const { return info_; }
  api::Context context() const { return context_; }

  /// Makes the context current on the calling thread. Each thread that uses the device calls it once; constructors and
  /// destructors of objects on the device call it themselves.
  void make_current() const;

  /// Waits for all work on the device.
  void synchronize() const;
  /// Free memory reported by the driver, and memory cached here for the next run.
  DeviceMemory memory() const;

  /// Allocates at least `bytes` of device memory, or of page-locked host memory; nothing for 0. Throws "memory" with
  /// the requested size.
  AllocatedBlock<api::DevicePointer> allocate_memory(std::size_t bytes, Reuse reuse);
  AllocatedBlock<void*> allocate_pinned(std::size_t bytes, Reuse reuse);
  /// Releases memory. Never throws, because a lost device's memory is gone with its context.
  void release_memory(const AllocatedBlock<api::DevicePointer>& taken) noexcept;
  void release_pinned(const AllocatedBlock<void*>& taken) noexcept;

  /// Throws the error of a failed call; a sticky error marks the device lost. `kernels` names the launches that may
  /// have caused it.
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

/// Throws "memory" if `bytes` exceeds the free memory minus a reserve for the driver's own needs (local memory, graphs,
/// module images). The message names the work as `what`.
void require_memory(const Device& device, std::uint64_t bytes, std::string_view what);

}  // namespace bb::cuda
