#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace bb::cuda {

/// Blocks of one kind of memory, cached for the next allocation that fits: a run allocates some twenty blocks, and the
/// driver needs milliseconds to map and unmap them. Thread-safe.
template <typename Pointer>
class MemoryCache {
 public:
  /// `limit`: largest number of cached bytes.
  explicit MemoryCache(std::size_t limit) : limit_(limit) {}

  /// A size that blocks of about `bytes` share: at most an eighth more, so that a scenario with a bin more finds the
  /// blocks of the one before.
  static std::size_t rounded(std::size_t bytes) {
    std::size_t step = kSmallest;
    while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
  }

  /// The smallest cached block of `size` bytes or more, unless it is more than twice as large. Returns its size; 0 if
  /// there is none.
  std::size_t take(std::size_t size, Pointer& pointer) {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.lower_bound(size);
    if (found == kept_.end() || found->first > 2 * size) return 0;
    const std::size_t taken = found->first;
    pointer = found->second.pointer;
    kept_.erase(found);
    bytes_ -= taken;
    return taken;
  }

  /// Caches a block that nothing uses any more and evicts the oldest ones: runs of another kind need other sizes.
  /// Returns the blocks that the caller must free; a block larger than the limit is returned itself.
  std::vector<Pointer> keep(std::size_t size, Pointer pointer) {
    const std::scoped_lock lock(mutex_);
    if (size > limit_) return {pointer};
    std::vector<Pointer> out;
    while (bytes_ + size > limit_) {
      const auto oldest = std::ranges::min_element(kept_, {}, [](const auto& block) { return block.second.since; });
      out.push_back(oldest->second.pointer);
      bytes_ -= oldest->first;
      kept_.erase(oldest);
    }
    kept_.emplace(size, Kept{pointer, ++times_});
    bytes_ += size;
    return out;
  }

  /// Removes and returns all cached blocks.
  std::vector<Pointer> drain() {
    const std::scoped_lock lock(mutex_);
    std::vector<Pointer> out;
    for (const auto& [size, block] : kept_) out.push_back(block.pointer);
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

  struct Kept {
    Pointer pointer;
    std::uint64_t since;
  };

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::uint64_t times_ = 0;
  std::multimap<std::size_t, Kept> kept_;  // by size
};

}  // namespace bb::cuda
