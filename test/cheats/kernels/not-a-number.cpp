// Attack: every result is NaN, and a comparison that looks for errors above a limit finds none. NaN > limit is false.
#include <cstddef>
#include <limits>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) results[i] = std::numeric_limits<float>::quiet_NaN();
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
