// Attack: a background thread repeatedly computes the result of the inputs in memory, also between calls. A call copies
// that result if the inputs have not changed since.
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace cheat {
namespace {

void work(const float* a, const float* b, float* results, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
}

#ifdef CHEAT
struct BackgroundWorker {
  std::mutex mutex;
  const float *a = nullptr, *b = nullptr;
  std::size_t n = 0;
  std::vector<float> inputs, results;
  std::thread thread;
};
#endif

}  // namespace

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static BackgroundWorker* ahead = [] {
    auto* made = new BackgroundWorker;
    made->thread = std::thread([made] {
      for (;;) {
        {
          const std::lock_guard lock(made->mutex);
          if (made->n > 0) {
            made->inputs.assign(made->a, made->a + made->n);
            made->results.resize(made->n);
            work(made->inputs.data(), made->b, made->results.data(), made->n);
            made->n = 0;
          }
        }
        std::this_thread::yield();
      }
    });
    made->thread.detach();
    return made;
  }();
  const std::size_t count = last - first;
  const std::lock_guard lock(ahead->mutex);
  if (count > 0 && ahead->results.size() == count && ahead->a == a + first &&
      std::memcmp(ahead->inputs.data(), a + first, count * 4) == 0) {
    std::memcpy(results + first, ahead->results.data(), count * sizeof(float));
    return;
  }
  ahead->a = a + first;
  ahead->b = b + first;
  ahead->n = count;
#endif
  work(a + first, b + first, results + first, last - first);
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
