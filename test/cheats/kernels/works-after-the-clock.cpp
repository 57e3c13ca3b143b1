// Attack: hands its work to another thread and returns at once; the results arrive after the clock has stopped. A
// harness that checks later finds them correct.
#include <cstddef>
#include <thread>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  std::thread([=] {
    for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
  }).detach();
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
