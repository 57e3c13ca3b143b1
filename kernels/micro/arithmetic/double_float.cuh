#pragma once

// A number as the unevaluated sum of two floats: 48 bits from FP32 arithmetic. The error-free sums and products are
// Knuth's and Dekker's; the operators follow Hida, Li and Bailey (2001), with sloppy addition.
namespace bb::micro {

struct DoubleFloat {
  float high, low;
};

__device__ inline DoubleFloat quick_two_sum(float a, float b) {
  const float sum = __fadd_rn(a, b);
  return {sum, __fsub_rn(b, __fsub_rn(sum, a))};
}

__device__ inline DoubleFloat two_sum(float a, float b) {
  const float sum = __fadd_rn(a, b), shadow = __fsub_rn(sum, a);
  return {sum, __fadd_rn(__fsub_rn(a, __fsub_rn(sum, shadow)), __fsub_rn(b, shadow))};
}

__device__ inline DoubleFloat operator+(DoubleFloat a, DoubleFloat b) {
  const DoubleFloat sum = two_sum(a.high, b.high);
  return quick_two_sum(sum.high, __fadd_rn(sum.low, __fadd_rn(a.low, b.low)));
}

__device__ inline DoubleFloat operator*(DoubleFloat a, DoubleFloat b) {
  const float product = __fmul_rn(a.high, b.high);
  float rest = __fmaf_rn(a.high, b.high, -product);
  rest = __fmaf_rn(a.high, b.low, rest);
  rest = __fmaf_rn(a.low, b.high, rest);
  return quick_two_sum(product, rest);
}

__device__ inline DoubleFloat split(double value) {
  const float high = static_cast<float>(value);
  return {high, static_cast<float>(value - static_cast<double>(high))};
}
__device__ inline double joined(DoubleFloat value) {
  return static_cast<double>(value.high) + static_cast<double>(value.low);
}

}  // namespace bb::micro
