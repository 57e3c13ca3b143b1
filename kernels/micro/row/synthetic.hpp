#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/task.hpp"

// Synthetic inputs that depend only on their seed, in addition to engine::uniform_values.
namespace bb::micro {

/// Random numbers by engine::scrambled().
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

/// Successor of each of `n` entries in a random cycle that visits all of them (Sattolo).
inline std::vector<unsigned> one_cycle(std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> out(n);
  std::iota(out.begin(), out.end(), 0u);
  Random random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(out[i - 1], out[random.index(i - 1)]);
  return out;
}

/// `n` values in [0, 2). Their sum is of the order of n, so that errors are visible in it.
inline std::vector<float> summands(const engine::TaskProblem& problem) {
  std::vector<float> values = engine::uniform_values(problem.count("n"), problem.seed);
  for (float& v : values) v += 1.0f;
  return values;
}

/// Relative tolerance for a chain of `n` FP32 additions: ten times the expected size of random rounding errors.
inline double chain_limit(double n) { return 10.0 * 0x1p-24 * std::sqrt(n) + 0x1p-22; }

}  // namespace bb::micro
