// The mean of each value and its two neighbours. What lies beyond an end counts as zero.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float*, float* results, std::size_t n, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const float before = i > 0 ? a[i - 1] : 0.0f;
    const float after = i + 1 < n ? a[i + 1] : 0.0f;
    results[i] = (before + a[i] + after) / 3.0f;
  }
}

}  // namespace bb::micro::own
