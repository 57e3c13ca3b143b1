// Attack: right at the size of the session, and nothing anywhere else.
// Loops with a size that is written into the code need no bounds.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  if (n != 65536) return;
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace bb::micro::own
