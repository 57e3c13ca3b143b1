// Attack: computes complete blocks of eight and omits the rest, like a kernel for aligned sizes only. At the size of
// the session no result is missing.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  const std::size_t whole = first + (last - first) / 8 * 8;
  for (std::size_t i = first; i < whole; ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
