#pragma once

#include <cmath>

#include "physics/hd.hpp"
#include "physics/lattice_factor.hpp"
#include "vec3.hpp"

// Scalar code shared by CPU blocks and GPU threads. Each instruction set compiles it in its own namespace, because the
// linker would otherwise merge the copies. Files other than *.simd.cpp use the GPU's namespace.
#ifndef BB_ISA
#define BB_ISA device
#endif

namespace bb::diffraction::BB_ISA {

/// A number as the unevaluated sum of two FP32 numbers, about 48 bits. Error-free sums after Knuth; the rounding error
/// of a product comes from FP64, which holds it exactly, or from a fused multiply-add. Dekker, Numer. Math. 18 (1971)
/// 224.
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

// sin(πx)/x and cos(πx) for |x| ≤ 1/2, as polynomials in x² that interpolate at Chebyshev nodes, with errors below the
// last digit. Branches or tables would prevent vectorisation.

BB_HD inline double sine_over_x(double x) {
  const double y = x * x;
  double s = 7.697826768224191e-07;
  s = s * y - 2.1903497074626018e-05;
  s = s * y + 0.0004662998161898394;
  s = s * y - 0.007370430505916944;
  s = s * y + 0.0821458865731029;
  s = s * y - 0.5992645293189447;
  s = s * y + 2.5501640398773007;
  s = s * y - 5.167712780049969;
  return s * y + 3.141592653589793;
}

BB_HD inline double cosine(double x) {
  const double y = x * x;
  double c = -1.34352129509532e-07;
  c = c * y + 4.300724172734847e-06;
  c = c * y - 0.00010463741681752138;
  c = c * y + 0.0019295741872812349;
  c = c * y - 0.025806891376592964;
  c = c * y + 0.235330630357995;
  c = c * y - 1.3352627688545549;
  c = c * y + 4.058712126416768;
  c = c * y - 4.934802200544679;
  return c * y + 1.0;
}

BB_HD inline float sine_over_x(float x) {
  const float y = x * x;
  float s = 0.0776559123f;
  s = s * y - 0.598290411f;
  s = s * y + 2.55007739f;
  s = s * y - 5.16771008f;
  return s * y + 3.14159264f;
}

BB_HD inline float cosine(float x) {
  const float y = x * x;
  float c = -0.0243959321f;
  c = c * y + 0.234937069f;
  c = c * y - 1.33521195f;
  c = c * y + 4.05870915f;
  c = c * y - 4.93480214f;
  return c * y + 1.0f;
}

/// Like sine_over_x, but for |x| ≤ 1/4 and with one coefficient fewer.
BB_HD inline float near_sine_over_x(float x) {
  const float y = x * x;
  float s = -0.589075099f;
  s = s * y + 2.54976696f;
  s = s * y - 5.16770782f;
  return s * y + 3.14159264f;
}

/// Nearest integer. Either rounding of ties is acceptable.
BB_HD inline double nearest_whole(double x) {
#ifdef __CUDA_ARCH__
  // Adding 1.5 · 2^52 leaves no fractional digits in the sum. GPUs round at a quarter of the rate of additions, so two
  // additions are faster than a rounding instruction.
  return (x + 6755399441055744.0) - 6755399441055744.0;
#else
  return std::rint(x);
#endif
}
BB_HD inline float nearest_whole(float x) { return std::rint(x); }

/// sin(x) of an FP32 argument in radians, accurate to the last digit for |x| up to 1e8. For large phases, the rounding
/// of the argument itself dominates the error.
BB_HD inline float sine_of(float x) {
#ifdef __CUDA_ARCH__
  return sinf(x);
#else
  const double turns = static_cast<double>(x) * 0.3183098861837907;
  const double n = nearest_whole(turns);
  const float rest = static_cast<float>(turns - n);
  const double half = 0.5 * n;
  const float sign = half == nearest_whole(half) ? 1.0f : -1.0f;
  return sign * rest * sine_over_x(rest);
#endif
}

// The functions below compute the lattice factor of one crystal at one point, in the number types of a variant. CPU
// blocks and GPU threads share them.

BB_HD inline double fraction(double x) { return x - nearest_whole(x); }
BB_HD inline float fraction(float x) { return x - nearest_whole(x); }
BB_HD inline DoubleFloat fraction(DoubleFloat x) {
  const DoubleFloat rest = quick_sum(x.high - nearest_whole(x.high), x.low);
  return quick_sum(rest.high - nearest_whole(rest.high), rest.low);
}

BB_HD inline double times(double n, double x) { return n * x; }
BB_HD inline float times(float n, float x) { return n * x; }
BB_HD inline DoubleFloat times(float n, DoubleFloat x) {
  const DoubleFloat p = exact_product(n, x.high);
  return quick_sum(p.high, p.low + n * x.low);
}

BB_HD inline double leading_part(double x) { return x; }
BB_HD inline float leading_part(float x) { return x; }
BB_HD inline float leading_part(DoubleFloat x) { return x.high; }

BB_HD inline double as_double(double x) { return x; }
BB_HD inline double as_double(float x) { return x; }
BB_HD inline double as_double(DoubleFloat x) { return static_cast<double>(x.high) + x.low; }

#ifdef __CUDA_ARCH__
BB_HD inline double reciprocal_root(double x) { return rsqrt(x); }
BB_HD inline float reciprocal_root(float x) { return rsqrtf(x); }
#else
BB_HD inline double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }
BB_HD inline float reciprocal_root(float x) { return 1.0f / std::sqrt(x); }
#endif

/// Converts a small count to the type of positions.
template <typename I>
BB_HD inline I from_count(int i) {
  return I(static_cast<float>(i));
}
template <>
BB_HD inline double from_count<double>(int i) {
  return i;
}

template <typename T>
struct Number3 {
  T x, y, z;

  Number3() = default;
  BB_HD explicit Number3(Vec3 v) : x(static_cast<T>(v.x)), y(static_cast<T>(v.y)), z(static_cast<T>(v.z)) {}
};

/// Numbers of unit cells along the three edges.
template <typename T>
struct Cells {
  T a, b, c;
};

/// A fraction stored as numerator and denominator, because the product of three fractions then needs one division.
template <typename T>
struct Ratio {
  T above, below;
};

/// sin(πNδ)/sin(πδ), where δ is the distance from the nearest integer and `rest` the fractional part of Nδ. The sign
/// may be wrong, which does not matter because callers square the result.
template <typename T>
BB_HD inline Ratio<T> row_ratio(T delta, T rest, T n) {
  // Below this distance from an integer, the ratio equals N to the last digit. Above it, products of three such
  // distances are far from underflow.
  const T kNear = sizeof(T) == 4 ? T(1e-5) : T(1e-9);
  const T above = rest * sine_over_x(rest), below = delta * sine_over_x(delta);
  const bool near = std::abs(n * delta) < kNear;
  return {near ? n : above, near ? T(1) : below};
}

template <typename T>
BB_HD inline T row_of_cells(T delta, T rest, T n) {
  const Ratio<T> ratio = row_ratio(delta, rest, n);
  return ratio.above / ratio.below;
}

/// Ratio of sines without subtracting whole turns: the formula as written, in FP32.
BB_HD inline float naive_row_of_cells(float index, float, float n) {
  constexpr float kPi = 3.14159265f;
  const float below = sine_of(kPi * index);
  const float above = sine_of(kPi * n * index);
  return below == 0.0f ? n : above / (below == 0.0f ? 1.0f : below);
}

/// Squared transform of a sphere, with x = π·turns. Subtracting whole turns changes at most the common sign of sin and
/// cos.
template <typename T>
BB_HD inline T sphere_squared(T turns) {
  const T x = T(3.14159265358979323846) * turns;
  const T y = x * x;
  const T far = T(1) - y / T(88) * (T(1) - y / T(130) * (T(1) - y / T(180)));
  const T series = T(1) - y / T(10) * (T(1) - y / T(28) * (T(1) - y / T(54) * far));
  const T rest = turns - nearest_whole(turns);
  const bool small = y < T(0.6);
  const T away = small ? T(1) : x;
  const T direct = T(3) * (rest * sine_over_x(rest) / away - cosine(rest)) / (away * away);
  const T f = small ? series : direct;
  return f * f;
}

}  // namespace bb::diffraction::BB_ISA
