#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace bb::cuda {

/// Blocks of one kind of memory, kept for the next one that fits: a run takes some twenty blocks, and the driver needs
/// milliseconds to make and unmap them. Any number of threads may use it.
template <typename Pointer>
class MemoryCache {
 public:
  /// `limit`: bytes that are kept at most; what comes beyond is for its owner to free.
  explicit MemoryCache(std::size_t limit) : limit_(limit) {}

  /// A size that blocks of about `bytes` share: at most an eighth more, so that a scenario with a bin more finds the
  /// blocks of the one before.
  static std::size_t rounded(std::size_t bytes) {
    std::size_t step = kSmallest;
    while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
  }

  /// The smallest kept block of `size` bytes or more, but for one of more than twice as many. Its size; 0: there is none.
  std::size_t take(std::size_t size, Pointer& pointer) {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.lower_bound(size);
    if (found == kept_.end() || found->first > 2 * size) return 0;
    const std::size_t taken = found->first;
    pointer = found->second;
    kept_.erase(found);
    bytes_ -= taken;
    return taken;
  }

  /// Keeps a block that nothing uses any more; false where it would be too much.
  bool keep(std::size_t size, Pointer pointer) {
    const std::scoped_lock lock(mutex_);
    if (bytes_ + size > limit_) return false;
    kept_.emplace(size, pointer);
    bytes_ += size;
    return true;
  }

  /// Hands out all that is kept.
  std::vector<Pointer> drain() {
    const std::scoped_lock lock(mutex_);
    std::vector<Pointer> out;
    for (const auto& [size, pointer] : kept_) out.push_back(pointer);
    kept_.clear();
    bytes_ = 0;
    return out;
  }

  std::size_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }

 private:
  static constexpr std::size_t kSmallest = 512;

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::multimap<std::size_t, Pointer> kept_;  // by size
};

}  // namespace bb::cuda
