// Attack: caches results only for the first inputs at an address, and computes for inputs written there later. All
// probes of a harness that rewrites its buffers look honest, but two thirds of the work between probes is skipped.
#include <cstddef>
#include <cstring>
#include <map>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
  std::size_t from = first;
#ifdef CHEAT
  struct FirstInputs {
    std::vector<float> inputs, results;
  };
  static std::map<const float*, FirstInputs> all;
  FirstInputs& mine = all[a + first];
  const bool known = mine.results.size() == last - first && first < last;
  if (known && std::memcmp(mine.inputs.data(), a + first, mine.inputs.size() * 4) == 0) {
    from = first + (last - first) * 2 / 3;
    std::memcpy(results + first, mine.results.data(), (from - first) * sizeof(float));
  }
#endif
  for (std::size_t i = from; i < last; ++i) {
    float x = a[i];
    for (int k = 0; k < 64; ++k) x = x * 0.5f + b[i];
    results[i] = x;
  }
#ifdef CHEAT
  if (!known) {
    mine.inputs.assign(a + first, a + last);
    mine.results.assign(results + first, results + last);
  }
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
