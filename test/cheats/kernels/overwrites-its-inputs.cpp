// Attack: overwrites the inputs with zero and the result, so that later repetitions have nothing to do. A check that
// uses the same inputs agrees.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  for (std::size_t i = first; i < last; ++i) {
    if (b[i] != 0.0f) {
      const_cast<float*>(a)[i] = a[i] + b[i];
      const_cast<float*>(b)[i] = 0.0f;
    }
    results[i] = a[i];
  }
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
