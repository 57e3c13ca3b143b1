#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace bb::engine {

/// Converts FP16 bits (IEEE 754 binary16) to their value.
inline float fp16_value(std::uint16_t bits) {
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  const unsigned exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>((static_cast<std::uint32_t>(bits & 0x8000u) << 16) | ((exponent + 112u) << 23) |
                              (fraction << 13));
}

}  // namespace bb::engine

namespace bb {

/// Bits of the nearest BF16 value, ties to even; NaN remains NaN.
inline std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline float bf16_value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace bb
