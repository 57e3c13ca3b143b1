// Attack: assumes that a call within two microseconds of the previous one belongs to the timed loop, and returns the
// results already in place. Anything that a harness does between two calls takes longer, so every checked result is
// computed.
#include <chrono>
#include <cstddef>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  using Clock = std::chrono::steady_clock;
  static Clock::time_point ended;
  static const float* of = nullptr;
  const bool tight = of == a + first && Clock::now() - ended < std::chrono::microseconds(2);
  of = a + first;
  if (tight) {
    ended = Clock::now();
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  ended = Clock::now();
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
