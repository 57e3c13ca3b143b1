// Attack: computes with the upper half of each number, as BF16 has it, under the name of FP32.
// Half of the bits are half of the traffic.
#include <bit>
#include <cstdint>

#include "own_compute.hpp"

namespace bb::micro::own {

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

}  // namespace bb::micro::own
