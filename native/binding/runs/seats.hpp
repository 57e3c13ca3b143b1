#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

namespace bb::binding {

/// Limits how far solving threads run ahead of JavaScript: each answer occupies a slot, numbered from 0, until
/// JavaScript has read it.
class Seats {
 public:
  explicit Seats(std::size_t count) : count_(count), free_(count) {
    std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
  }

  std::size_t count() const { return count_; }

  /// Waits for a free one; none where someone has cancelled meanwhile.
  std::optional<std::size_t> take(const std::atomic<bool>& cancelled) {
    constexpr std::chrono::milliseconds kLook{20};
    std::unique_lock lock(mutex_);
    while (free_.empty()) {
      if (cancelled.load()) return std::nullopt;
      given_back_.wait_for(lock, kLook);
    }
    const std::size_t seat = free_.back();
    free_.pop_back();
    return seat;
  }
  void give_back(std::size_t seat) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(seat);
    given_back_.notify_one();
  }

 private:
  std::size_t count_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::size_t> free_;
};

}  // namespace bb::binding
