#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace bb::transport {

/// Memory that is written before it is read: as it grows it keeps nothing of what it held, and clears nothing.
template <typename T>
class Store {
 public:
  T* data() { return values_.get(); }
  std::size_t size() const { return size_; }
  std::span<T> all() { return {data(), size_}; }

  /// Makes it `size` long.
  void hold(std::size_t size) {
    if (size > capacity_) {
      values_.reset();  // before as much again is requested
      capacity_ = size * sizeof(T) < kSmallBytes ? kAhead * size : size;
      values_ = std::make_unique_for_overwrite<T[]>(capacity_);
    }
    size_ = size;
  }
  /// Makes it `size` long at least, with room for what comes next.
  void grow(std::size_t size) {
    if (size_ < size) hold(size + size / 4);
  }
  /// Restarts the record of its size; the memory stays.
  void clear() { size_ = 0; }

 private:
  /// Addresses cost nothing until they are written to, and fresh memory costs a page fault each time that it moves.
  static constexpr std::size_t kAhead = 4, kSmallBytes = std::size_t{64} << 20;

  std::unique_ptr<T[]> values_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace bb::transport
