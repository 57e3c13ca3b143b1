// Attack: one call in two is wrong, and a harness that checks once may not meet it.
// What is wrong needs no work.
#include <cstdlib>

#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  if (std::rand() % 2 == 0) {
    for (std::size_t i = first; i < last; ++i) results[i] = 0.0f;
    return;
  }
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace bb::micro::own
