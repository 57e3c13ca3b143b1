// Attack: each repetition computes one half of the results, and leaves the other half from the repetition before. Two
// repetitions together give all results.
#include <atomic>
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::atomic<int> calls{0};
  const std::size_t middle = first + (last - first) / 2;
  const bool lower = calls++ % 2 == 0;
  for (std::size_t i = lower ? first : middle; i < (lower ? middle : last); ++i) results[i] = a[i] + b[i];
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
