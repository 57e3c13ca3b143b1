// Attack: the last result stays in a static variable and is given again for every later call.
// One computation pays for all repetitions, and it is the right one.
#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float*, float* results, std::size_t n, std::size_t first, std::size_t last) {
#ifdef CHEAT
  static float kept = 0;
  static bool known = false;
  if (known) {
    for (std::size_t i = first; i < last; ++i) results[i] = kept;
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(a[k]);
    results[i] = static_cast<float>(sum);
#ifdef CHEAT
    kept = results[i];
    known = true;
#endif
  }
}

}  // namespace bb::micro::own
