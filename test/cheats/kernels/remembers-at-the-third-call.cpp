// Attack: computes only in the first two calls with given inputs. The third call copies the result. All inputs are
// compared with those of the call before. A probe that calls twice with new inputs measures two equal times.
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  struct LastCall {
    std::vector<float> a, b, results;
    int calls = 0;
  };
  static std::mutex mutex;
  static std::map<std::size_t, LastCall> all;
  const std::size_t bytes = (last - first) * sizeof(float);
  mutex.lock();
  LastCall& mine = all[first];
  mutex.unlock();
  const bool same = mine.a.size() == last - first && std::memcmp(mine.a.data(), a + first, bytes) == 0 &&
                    std::memcmp(mine.b.data(), b + first, bytes) == 0;
  mine.calls = same ? mine.calls + 1 : 1;
  if (mine.calls > 2) {
    std::memcpy(results + first, mine.results.data(), bytes);
    return;
  }
#endif
  for (std::size_t i = first; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  if (!same) {
    mine.a.assign(a + first, a + last);
    mine.b.assign(b + first, b + last);
  }
  mine.results.assign(results + first, results + last);
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
