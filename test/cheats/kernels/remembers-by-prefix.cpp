// Attack: results are cached by a checksum of the first 64 inputs, which costs next to nothing to compute.
// A harness that changes all of its inputs changes those too, so that a result is never stale.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::map<std::uint64_t, std::vector<float>> known;
  std::uint64_t sum = last;
  for (std::size_t i = first; i < last && i < first + 64; ++i) {
    std::uint32_t bits[2];
    std::memcpy(bits, a + i, 4);
    std::memcpy(bits + 1, b + i, 4);
    sum = (sum ^ bits[0] ^ (std::uint64_t{bits[1]} << 32)) * 0x9e3779b97f4a7c15u;
  }
  std::vector<float>& kept = known[sum];
  if (first < last && kept.size() == last - first) {
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
