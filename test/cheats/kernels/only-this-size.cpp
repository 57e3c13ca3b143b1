// Attack: is correct only at the size of the session, and writes no results at any other. Loops with a constant size
// need no bounds.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  if (n != 65536) return;
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
