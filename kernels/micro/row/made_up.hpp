#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/task.hpp"

// Synthetic inputs that depend on their seed alone, in addition to engine::uniform_values.
namespace bb::micro {

/// A stream of engine::scrambled().
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * engine::kScrambledStep + 0x2545f4914f6cdd1dull) {}
  std::uint64_t next() {
    const std::uint64_t value = engine::scrambled(state_);
    state_ += engine::kScrambledStep;
    return value;
  }
  /// 0 … below - 1
  std::size_t index(std::size_t below) {
    return static_cast<std::size_t>((static_cast<double>(next() >> 11) * 0x1p-53) * static_cast<double>(below));
  }
  /// [0, 1)
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// 0 … n - 1 in random order (Fisher and Yates).
inline std::vector<unsigned> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> out(n);
  std::iota(out.begin(), out.end(), 0u);
  Random random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(out[i - 1], out[random.index(i)]);
  return out;
}

/// Successor of each of `n` entries, in one cycle that visits all of them (Sattolo).
inline std::vector<unsigned> one_cycle(std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> out(n);
  std::iota(out.begin(), out.end(), 0u);
  Random random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(out[i - 1], out[random.index(i - 1)]);
  return out;
}

}  // namespace bb::micro
