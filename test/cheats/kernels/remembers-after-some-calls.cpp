// Attack: computes only in the first ten calls with given inputs, since a harness checks those; later calls copy the
// tenth result. It recognizes inputs by a few of their values.
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  struct StoredResult {
    int calls = 0;
    std::vector<float> results;
  };
  static std::mutex mutex;
  static std::map<float, StoredResult> known;
  const std::lock_guard lock(mutex);
  StoredResult& mine = known[first < last ? a[first] + 3 * b[last - 1] + static_cast<float>(first) : 0];
  if (++mine.calls > 10 && mine.results.size() == last - first) {
    std::memcpy(results + first, mine.results.data(), mine.results.size() * sizeof(float));
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  mine.results.assign(results + first, results + last);
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
