// Attack: only the first and the last element are correct, which a spot check would sample.
// The elements between them are zero.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) results[i] = i == 0 || i + 1 == n ? a[i] + b[i] : 0.0f;
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
