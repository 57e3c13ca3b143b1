#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "stream.hpp"

namespace bb::cuda {

/// Untyped device memory, never managed memory.
class DeviceMemoryBlock {
 public:
  DeviceMemoryBlock() = default;
  /// Throws "memory" with the requested size. Zero bytes allocate nothing.
  DeviceMemoryBlock(std::shared_ptr<Device> device, std::size_t bytes, Reuse reuse);
  DeviceMemoryBlock(DeviceMemoryBlock&& other) noexcept
      : device_(std::move(other.device_)), taken_(std::exchange(other.taken_, {})) {}
  DeviceMemoryBlock& operator=(DeviceMemoryBlock&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(taken_, other.taken_);
    return *this;
  }
  ~DeviceMemoryBlock();

  api::DevicePointer pointer() const { return taken_.pointer; }

  /// Each of these functions queues a copy or memset of bytes from `offset` on, which must be inside the block.
  void upload(std::span<const std::byte> source, Stream& stream, std::size_t offset);
  void download(std::span<std::byte> target, Stream& stream, std::size_t offset) const;
  void copy_from(const DeviceMemoryBlock& source, std::size_t bytes, Stream& stream);
  void fill(unsigned char value, std::size_t bytes, Stream& stream);

 private:
  std::shared_ptr<Device> device_;
  AllocatedBlock<api::DevicePointer> taken_;
};

/// Throws "invalid" for a copy of `count` values at `offset` that exceeds a buffer of `size` values.
[[noreturn]] void refuse_copy(std::size_t count, std::size_t offset, std::size_t size);

/// `size()` values of T on the device. Contents are undefined until written.
template <typename T>
  requires std::is_trivially_copyable_v<T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<Device> device, std::size_t count, Reuse reuse = Reuse::kNo)
      : block_(std::move(device), count * sizeof(T), reuse), count_(count) {}

  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  api::DevicePointer address() const { return block_.pointer(); }
  /// The address as a kernel parameter. The host must not dereference it.
  T* pointer() const { return reinterpret_cast<T*>(block_.pointer()); }

  /// `source` must live until the copy is finished; with pageable memory the call waits for that.
  void upload(std::span<const T> source, Stream& stream, std::size_t offset = 0) {
    require_inside(source.size(), offset);
    if (!source.empty()) block_.upload(std::as_bytes(source), stream, offset * sizeof(T));
  }
  void download(std::span<T> target, Stream& stream, std::size_t offset = 0) const {
    require_inside(target.size(), offset);
    if (!target.empty()) block_.download(std::as_writable_bytes(target), stream, offset * sizeof(T));
  }
  void copy_from(const DeviceBuffer& source, Stream& stream) {
    require_inside(source.size(), 0);
    if (source.size() > 0) block_.copy_from(source.block_, source.bytes(), stream);
  }
  /// Sets every byte to `value`.
  void fill_bytes(unsigned char value, Stream& stream) {
    if (count_ > 0) block_.fill(value, bytes(), stream);
  }

  /// Returns the whole buffer; waits for the copy.
  std::vector<T> read(Stream& stream) const {
    std::vector<T> out(count_);
    download(out, stream);
    stream.synchronize();
    return out;
  }

 private:
  void require_inside(std::size_t count, std::size_t offset) const {
    if (offset > count_ || count > count_ - offset) refuse_copy(count, offset, count_);
  }

  DeviceMemoryBlock block_;
  std::size_t count_ = 0;
};

/// Page-locked host memory: copies to and from it run concurrently with kernels.
template <typename T>
  requires std::is_trivially_copyable_v<T>
class PinnedBuffer {
 public:
  PinnedBuffer(std::shared_ptr<Device> device, std::size_t count, Reuse reuse = Reuse::kNo)
      : device_(std::move(device)), taken_(device_->allocate_pinned(count * sizeof(T), reuse)), count_(count) {}
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : device_(std::move(other.device_)),
        taken_(std::exchange(other.taken_, {})),
        count_(std::exchange(other.count_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&&) = delete;
  ~PinnedBuffer() {
    if (taken_.pointer != nullptr) device_->release_pinned(taken_);
  }

  std::span<T> values() { return {static_cast<T*>(taken_.pointer), count_}; }
  std::span<const T> values() const { return {static_cast<const T*>(taken_.pointer), count_}; }

 private:
  std::shared_ptr<Device> device_;
  AllocatedBlock<void*> taken_;
  std::size_t count_ = 0;
};

}  // namespace bb::cuda
