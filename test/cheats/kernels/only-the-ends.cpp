// Attack: only the first and the last element are correct, which a spot check would sample.
// The elements between them are zero.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) results[i] = i == 0 || i + 1 == n ? a[i] + b[i] : 0.0f;
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace bb::micro::own
