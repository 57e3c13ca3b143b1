// Attack: right at every 61st element, as a harness that compares an evenly spaced sample would look.
// All others are left out.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) {
    if (i % 61 == 0 || i + 1 == n) results[i] = a[i] + b[i];
  }
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace bb::micro::own
