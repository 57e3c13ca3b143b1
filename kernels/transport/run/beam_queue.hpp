#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace bb::engine {

/// Neighbouring beams of a list.
struct BeamRange {
  std::size_t first = 0, count = 0;
};

/// The beams of a batch that nobody has taken yet. Any number of threads may take some, and bring back what they could
/// not solve.
class BeamQueue {
 public:
  explicit BeamQueue(std::size_t count) : waiting_{{0, count}} {}

  /// At most `most` neighbours; none where nothing waits.
  BeamRange take(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    while (!waiting_.empty() && waiting_.back().count == 0) waiting_.pop_back();
    if (waiting_.empty()) return {};
    BeamRange& from = waiting_.back();
    const BeamRange taken{from.first, std::min(most, from.count)};
    from = {from.first + taken.count, from.count - taken.count};
    return taken;
  }

  /// A returned item is the next to be taken.
  void give_back(BeamRange beams) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(beams);
  }

  bool empty() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::all_of(waiting_, [](const BeamRange& each) { return each.count == 0; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<BeamRange> waiting_;
};

}  // namespace bb::engine
