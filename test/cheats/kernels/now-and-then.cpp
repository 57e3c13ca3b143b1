// Attack: one call in two is wrong, and a harness that checks once may miss it. The wrong call does no work.
#include <cstddef>
#include <cstdlib>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  if (std::rand() % 2 == 0) {
    for (std::size_t i = first; i < last; ++i) results[i] = 0.0f;
    return;
  }
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
