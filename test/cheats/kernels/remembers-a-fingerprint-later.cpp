// Attack: inputs are known by sixteen of their values, results of several inputs are kept, and copying begins after forty
// calls: later than any probe, and blind to a few elements that change.
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "own_compute.hpp"

namespace bb::micro::own {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  struct Known {
    int calls = 0;
    std::vector<float> results;
  };
  static std::mutex mutex;
  static std::map<std::vector<float>, Known> all;
  std::vector<float> print{static_cast<float>(first)};
  for (std::size_t i = 0; i < 8 && first < last; ++i) {
    const std::size_t at = first + i * (last - first) / 8;
    print.push_back(a[at]);
    print.push_back(b[at]);
  }
  mutex.lock();
  if (all.size() > 1000) all.clear();
  Known& mine = all[print];
  mutex.unlock();
  if (++mine.calls > 40 && mine.results.size() == last - first) {
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

}  // namespace bb::micro::own
