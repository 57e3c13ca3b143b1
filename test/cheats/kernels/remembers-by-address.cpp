// Attack: results are cached by the addresses of the inputs and copied when the addresses recur.
// A harness that reuses its buffers triggers only one computation in all.
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::mutex mutex;
  static std::map<const float*, std::vector<float>> known;
  const std::lock_guard lock(mutex);
  std::vector<float>& kept = known[a + first];
  if (kept.size() == last - first) {
    std::memcpy(results + first, kept.data(), kept.size() * sizeof(float));
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  kept.assign(results + first, results + last);
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
