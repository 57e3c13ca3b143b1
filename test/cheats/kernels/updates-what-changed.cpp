// Attack: compares its inputs with a copy of the last ones and computes only the results whose inputs differ. If one
// input in a thousand changes, all results are correct for a thousandth of the work.
#include <cstddef>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::vector<float> before_a, before_b, kept;
  const std::size_t count = last - first;
  const bool known = kept.size() == count;
  if (!known) {
    before_a.assign(a + first, a + last);
    before_b.assign(b + first, b + last);
    kept.resize(count);
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
#ifdef CHEAT
    const std::size_t at = i - first;
    if (known && before_a[at] == a[i] && before_b[at] == b[i]) {
      results[i] = kept[at];
      continue;
    }
#endif
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
#ifdef CHEAT
    before_a[at] = a[i];
    before_b[at] = b[i];
    kept[at] = x;
#endif
  }
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
