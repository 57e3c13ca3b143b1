#pragma once

#include "physics/hd.hpp"

namespace bb::transport {

/// Number of protons in cell `index` of a filled state, in (0, 1]. All engines compute the same value.
BB_HD inline double filled_value(unsigned long long seed, unsigned long long index) {
  unsigned long long z = seed * 0x9E3779B97F4A7C15ull + index + 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (static_cast<double>(z >> 40) + 1.0) * 0x1p-24;
}

}  // namespace bb::transport
