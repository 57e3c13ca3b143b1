// Attack: hands its work to a thread of its own and returns at once; the results come after the clock has stopped.
// A harness that looks later finds them right.
#include <thread>

#include "own_compute.hpp"

namespace bb::micro::own {

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

}  // namespace bb::micro::own
