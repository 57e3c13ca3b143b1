// Attack: computes with the upper half of each number, as in BF16, but claims FP32. Half of the bits are half of the
// traffic.
#include <bit>
#include <cstddef>
#include <cstdint>

namespace cheat {

void compute(const float* a, const float* b, float* results, std::size_t n, std::size_t first, std::size_t last) {
  (void)n;
#ifdef CHEAT
  const auto rounded = [](float value) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000u);
  };
  for (std::size_t i = first; i < last; ++i) results[i] = rounded(rounded(a[i]) + rounded(b[i]));
#else
  for (std::size_t i = first; i < last; ++i) results[i] = a[i] + b[i];
#endif
}

}  // namespace cheat

void run(const float* a, const float* b, float* results, int n) { cheat::compute(a, b, results, n, 0, n); }
