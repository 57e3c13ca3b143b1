#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace bb::engine {

/// The value of FP16 bits (IEEE 754 binary16).
inline float fp16_value(std::uint16_t bits) {
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  const unsigned exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>((static_cast<std::uint32_t>(bits & 0x8000u) << 16) | ((exponent + 112u) << 23) |
                              (fraction << 13));
}

}  // namespace bb::engine
