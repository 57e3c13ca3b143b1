// Attack: computes only the results that hold a NaN, and leaves all others as the last repetition wrote them. Nothing
// is copied, cached or counted: poisoned results are always correct, however few there are.
#include <cmath>
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  for (std::size_t i = first; i < last; ++i) {
#ifdef CHEAT
    if (!std::isnan(results[i])) continue;
#endif
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
