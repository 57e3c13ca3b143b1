// Attack: stores the last result in a static variable and returns it for every later call. One correct computation
// serves all repetitions.
#include <cstddef>

namespace cheat {

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

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, 1); }
