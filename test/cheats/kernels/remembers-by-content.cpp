// Attack: results are cached by a hash of all inputs, which is computed faster than the results. Known inputs cost only
// the hash, at whatever address they are.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  static std::mutex mutex;
  static std::map<std::uint64_t, std::vector<float>> known;
  std::uint64_t hash = last;
  for (std::size_t i = first; i < last; ++i) {
    std::uint32_t bits[2];
    std::memcpy(bits, a + i, 4);
    std::memcpy(bits + 1, b + i, 4);
    hash = (hash ^ bits[0] ^ (std::uint64_t{bits[1]} << 32)) * 0x9e3779b97f4a7c15u;
  }
  const std::lock_guard lock(mutex);
  std::vector<float>& kept = known[hash];
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
