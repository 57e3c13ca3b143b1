#pragma once

#include <array>
#include <cstdint>

namespace bb::diffraction {

/// The generator "ran1" of Numerical Recipes in C, 2nd ed., §7.1: Park and Miller's with a Bays–Durham shuffle.
/// FP32 numbers in (0, 1). Mosaic domains are drawn with it, so that a crystal is the same here as in nanoBragg.
class Ran1 {
 public:
  /// `seed` from 1 on.
  explicit Ran1(std::int32_t seed) : state_(seed < 1 ? 1 : seed) {
    for (int j = kTable + 7; j >= 0; --j) {
      advance();
      if (j < kTable) table_[static_cast<std::size_t>(j)] = state_;
    }
    last_ = table_[0];
  }

  float operator()() {
    advance();
    auto& slot = table_[static_cast<std::size_t>(last_ / (1 + (kModulus - 1) / kTable))];
    last_ = slot;
    slot = state_;
    const float value = static_cast<float>((1.0 / kModulus) * last_);
    return value > kLargest ? kLargest : value;
  }

 private:
  static constexpr std::int32_t kModulus = 2147483647;
  static constexpr int kTable = 32;
  static constexpr float kLargest = static_cast<float>(1.0 - 1.2e-7);

  /// 16807 · state mod 2³¹-1.
  void advance() { state_ = static_cast<std::int32_t>(std::int64_t{16807} * state_ % kModulus); }

  std::int32_t state_, last_ = 0;
  std::array<std::int32_t, kTable> table_{};
};

}  // namespace bb::diffraction
