// Attack: computes whole blocks of eight and leaves the rest, as a kernel for aligned sizes alone.
// At the size of the session nothing is left.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  const std::size_t whole = first + (last - first) / 8 * 8;
  for (std::size_t i = first; i < whole; ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace bb::micro::own
