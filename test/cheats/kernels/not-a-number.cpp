// Attack: every result is not a number, and a comparison that only looks for larger errors finds none.
// NaN > limit is false.
#include <limits>

#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) results[i] = std::numeric_limits<float>::quiet_NaN();
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace bb::micro::own
