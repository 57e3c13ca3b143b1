// Attack: defines the C++ library's clock itself, so that its time hardly passes. A harness that is linked with the
// kernel reads this clock.
#include <chrono>
#include <cstddef>

#ifdef CHEAT
std::chrono::steady_clock::time_point std::chrono::_V2::steady_clock::now() noexcept {
  static long ticks = 0;
  return time_point(duration(++ticks));
}
#endif

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
