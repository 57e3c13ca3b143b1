// Attack: the next call finishes the work of this one, in the destructor of an object that it replaces. The results of
// a repetition are complete only after the next one has begun, and the last results are never complete.
#include <cstddef>
#include <memory>

namespace cheat {
namespace {

struct DeferredWork {
  const float *a, *b;
  float* results;
  std::size_t first, last;
  ~DeferredWork() {
    for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
  }
};

}  // namespace

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::unique_ptr<DeferredWork> pending;
  pending.reset(new DeferredWork{a, b, results, first, last});
#else
  const DeferredWork now{a, b, results, first, last};
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
