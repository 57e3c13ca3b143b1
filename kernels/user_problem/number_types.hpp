#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/half.hpp"

// Sixteen-bit numbers in candidates on the CPU: stored as bits, converted to FP32 for arithmetic.
namespace bb::user_problem {

/// Bits of the nearest FP16 value (IEEE 754 binary16), ties to even.
inline std::uint16_t fp16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const float size = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (size >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (size < 0x1p-14f) {
    // Subnormal results are multiples of 2^-24; adding 0.5 rounds to such a multiple.
    const auto steps = std::bit_cast<std::uint32_t>(size + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    return static_cast<std::uint16_t>(sign | steps);
  }
  const std::uint32_t whole = std::bit_cast<std::uint32_t>(size);
  const std::uint32_t rounded = whole + 0xfffu + ((whole >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

using engine::fp16_value;

/// The nearest number with 10 fraction bits, as in TF32; ties to even.
inline float tf32_value(float value) {
  if (!std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0xfffu + ((bits >> 13) & 1u)) & 0xffffe000u);
}

struct fp16 {
  std::uint16_t bits;
  fp16() = default;
  fp16(float value) : bits(fp16_bits(value)) {}        // NOLINT: a number converts to another
  operator float() const { return fp16_value(bits); }  // NOLINT
};

struct bf16 {
  std::uint16_t bits;
  bf16() = default;
  bf16(float value) : bits(bf16_bits(value)) {}        // NOLINT: a number converts to another
  operator float() const { return bf16_value(bits); }  // NOLINT
};

}  // namespace bb::user_problem
