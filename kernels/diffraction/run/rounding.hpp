#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace bb::diffraction {

/// Photons as FP32, which is what pages and files show. `from` and `to` have as many. Returns the brightest.
template <typename T>
float round_to(std::span<float> to, std::span<const T> from) {
  float brightest = 0.0f;
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<float>(from[i]);
    brightest = std::max(brightest, to[i]);
  }
  return brightest;
}

}  // namespace bb::diffraction
