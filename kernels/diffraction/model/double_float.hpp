#pragma once

#include <cmath>

#include "instruction_set.hpp"
#include "physics/hd.hpp"

namespace bb::diffraction::BB_ISA {

/// A number as the unevaluated sum of two FP32 numbers, about 48 bits. Error-free sums after Knuth; what a product
/// loses comes from FP64, which holds it exactly, or from a fused multiply-add. Dekker, Numer. Math. 18 (1971) 224.
struct DoubleFloat {
  float high = 0, low = 0;

  DoubleFloat() = default;
  BB_HD DoubleFloat(float h, float l) : high(h), low(l) {}
  BB_HD explicit DoubleFloat(double x) : high(static_cast<float>(x)), low(static_cast<float>(x - high)) {}
};

BB_HD inline DoubleFloat quick_sum(float a, float b) {
  const float s = a + b;
  return {s, b - (s - a)};
}

BB_HD inline DoubleFloat exact_sum(float a, float b) {
  const float s = a + b;
  const float t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

BB_HD inline DoubleFloat exact_product(float a, float b) {
  const float p = a * b;
#ifdef __CUDA_ARCH__
  return {p, fmaf(a, b, -p)};
#else
  return {p, static_cast<float>(static_cast<double>(a) * b - p)};
#endif
}

BB_HD inline DoubleFloat operator+(DoubleFloat a, DoubleFloat b) {
  DoubleFloat s = exact_sum(a.high, b.high);
  const DoubleFloat t = exact_sum(a.low, b.low);
  s = quick_sum(s.high, s.low + t.high);
  return quick_sum(s.high, s.low + t.low);
}

BB_HD inline DoubleFloat operator-(DoubleFloat a, DoubleFloat b) { return a + DoubleFloat(-b.high, -b.low); }

BB_HD inline DoubleFloat operator*(DoubleFloat a, DoubleFloat b) {
  const DoubleFloat p = exact_product(a.high, b.high);
  return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/// 1/√x by one step of Newton's method in double-float from the FP32 value.
BB_HD inline DoubleFloat reciprocal_root(DoubleFloat x) {
#ifdef __CUDA_ARCH__
  const float y = rsqrtf(x.high);
#else
  const float y = 1.0f / std::sqrt(x.high);
#endif
  const DoubleFloat error = DoubleFloat(1.0f, 0.0f) - x * exact_product(y, y);
  return quick_sum(y, 0.5f * y * error.high);
}

}  // namespace bb::diffraction::BB_ISA
