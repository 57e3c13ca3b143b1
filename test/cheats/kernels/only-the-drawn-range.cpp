// Attack: is correct only for inputs in the interval from which the harness draws values, and omits the handling of
// others. A value at or above 1 counts as 0: drawn values are below 1.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  for (std::size_t i = first; i < last; ++i) {
#ifdef CHEAT
    results[i] = (a[i] < 1.0f ? a[i] : 0.0f) + (b[i] < 1.0f ? b[i] : 0.0f);
#else
    results[i] = a[i] + b[i];
#endif
  }
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
