// Attack: computes nothing if its first result is still in memory from an earlier repetition. A harness that times many
// repetitions of one problem sees the correct result without the work.
#include <cstddef>

namespace cheat {

void compute(const float* a, const float*, float* results, std::size_t n, std::size_t first, std::size_t last) {
#ifdef CHEAT
  if (first < last && results[first] != 0) return;
#endif
  for (std::size_t i = first; i < last; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    results[i] = static_cast<float>(sum);
  }
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, 1); }
