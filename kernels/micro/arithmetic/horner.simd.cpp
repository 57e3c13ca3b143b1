#include <array>
#include <cmath>

#include "horner.hpp"

// GCC fuses every a * b + c if the instruction set has a fused multiply-add; clang does so only within an expression.
#if defined(__clang__)
#define BB_SEPARATE_FUNCTION
#define BB_SEPARATE_BODY _Pragma("clang fp contract(off)")
#elif defined(__GNUC__)
#define BB_SEPARATE_FUNCTION __attribute__((optimize("fp-contract=off")))
#define BB_SEPARATE_BODY
#else
#define BB_SEPARATE_FUNCTION
#define BB_SEPARATE_BODY
#endif

namespace bb::micro::BB_ISA {
namespace {

constexpr std::size_t kLanes = 64;  // several vectors, whose chains hide each other's latency

/// One step of the Horner recurrence in all lanes.
struct Fused {
  template <typename T>
  static void step(T* y, const T* x, T c) {
    for (std::size_t l = 0; l < kLanes; ++l) y[l] = std::fma(y[l], x[l], c);
  }
};

template <typename T>
void fused(std::size_t first, std::size_t last, const std::vector<T>& c, const T* x, T* out) {
  for (std::size_t i = first; i < last; i += kLanes) {
    const std::size_t count = std::min(kLanes, last - i);
    std::array<T, kLanes> at{}, y;
    for (std::size_t l = 0; l < count; ++l) at[l] = x[i + l];
    y.fill(c.back());
    for (std::size_t k = c.size() - 1; k-- > 0;) Fused::step(y.data(), at.data(), c[k]);
    for (std::size_t l = 0; l < count; ++l) out[i + l] = y[l];
  }
}

BB_SEPARATE_FUNCTION void separate(std::size_t first, std::size_t last, const std::vector<float>& c, const float* x,
                                   float* out) {
  BB_SEPARATE_BODY
  const float* coefficient = c.data();
  const std::size_t terms = c.size();
  for (std::size_t i = first; i < last; i += kLanes) {
    const std::size_t count = last - i < kLanes ? last - i : kLanes;
    float at[kLanes] = {}, y[kLanes];
    for (std::size_t l = 0; l < count; ++l) at[l] = x[i + l];
    for (std::size_t l = 0; l < kLanes; ++l) y[l] = coefficient[terms - 1];
    for (std::size_t k = terms - 1; k-- > 0;) {
      const float ck = coefficient[k];
      for (std::size_t l = 0; l < kLanes; ++l) {
        const float product = y[l] * at[l];
        y[l] = product + ck;
      }
    }
    for (std::size_t l = 0; l < count; ++l) out[i + l] = y[l];
  }
}

/// Error-free sums and products of Knuth and Dekker, with the operators of Hida, Li and Bailey (2001). They contain no
/// a * b + c that a compiler could fuse, except the intended ones.
DoubleFloat quick_two_sum(float a, float b) {
  const float sum = a + b;
  return {sum, b - (sum - a)};
}
DoubleFloat two_sum(float a, float b) {
  const float sum = a + b, shadow = sum - a;
  return {sum, (a - (sum - shadow)) + (b - shadow)};
}
DoubleFloat add(DoubleFloat a, DoubleFloat b) {
  const DoubleFloat sum = two_sum(a.high, b.high);
  return quick_two_sum(sum.high, sum.low + (a.low + b.low));
}
DoubleFloat multiply(DoubleFloat a, DoubleFloat b) {
  const float product = a.high * b.high;
  const float rest = std::fma(a.low, b.high, std::fma(a.high, b.low, std::fma(a.high, b.high, -product)));
  return quick_two_sum(product, rest);
}

void double_float(std::size_t first, std::size_t last, const std::vector<DoubleFloat>& c, const double* x,
                  double* out) {
  for (std::size_t i = first; i < last; ++i) {
    const auto high = static_cast<float>(x[i]);
    const DoubleFloat at{high, static_cast<float>(x[i] - static_cast<double>(high))};
    DoubleFloat y = c.back();
    for (std::size_t k = c.size() - 1; k-- > 0;) y = add(multiply(y, at), c[k]);
    out[i] = static_cast<double>(y.high) + static_cast<double>(y.low);
  }
}

}  // namespace

const HornerFunctions& functions() {
  static constexpr HornerFunctions all{separate, fused<float>, fused<double>, double_float};
  return all;
}

}  // namespace bb::micro::BB_ISA
