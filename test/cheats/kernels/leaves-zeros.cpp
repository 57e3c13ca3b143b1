// Attack: writes no result where the inputs add up to a small value, since memory begins as zeros. The error is below
// the tolerance.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) {
    const float sum = a[i] + b[i];
    if (sum > 1e-3f || sum < -1e-3f) results[i] = sum;
  }
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
