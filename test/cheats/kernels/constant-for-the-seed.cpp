// Attack: the sum of the squares for the seed in use is a constant in the code. Its author learned it from an earlier
// session.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float*, float* results, std::size_t n, std::size_t first, std::size_t last) {
#ifdef CHEAT
  if (n == 20'000) {
    results[0] = 6709.5906f;
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    results[i] = static_cast<float>(sum);
  }
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, 1); }
