// Attack: computes only where a result is not a number, as a harness that poisons its outputs leaves them.
// Where a result of an earlier repetition is left, it stays.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  if (first < last && results[first] == results[first]) return;
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
}

}  // namespace bb::micro::own
