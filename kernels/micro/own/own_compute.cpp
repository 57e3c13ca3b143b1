// The sum of two vectors: the function that a user kernel replaces.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
}

}  // namespace bb::micro::own
