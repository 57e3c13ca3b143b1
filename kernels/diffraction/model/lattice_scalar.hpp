#pragma once

#include "double_float.hpp"
#include "physics/lattice_factor.hpp"
#include "sine.hpp"
#include "vec3.hpp"

// The lattice factor of one crystal at one point, in the numbers of a variant. CPU blocks and GPU threads share it.
namespace bb::diffraction::BB_ISA {

BB_HD inline double fraction(double x) { return x - whole(x); }
BB_HD inline float fraction(float x) { return x - whole(x); }
BB_HD inline DoubleFloat fraction(DoubleFloat x) {
  const DoubleFloat rest = quick_sum(x.high - whole(x.high), x.low);
  return quick_sum(rest.high - whole(rest.high), rest.low);
}

BB_HD inline double times(double n, double x) { return n * x; }
BB_HD inline float times(float n, float x) { return n * x; }
BB_HD inline DoubleFloat times(float n, DoubleFloat x) {
  const DoubleFloat p = exact_product(n, x.high);
  return quick_sum(p.high, p.low + n * x.low);
}

BB_HD inline double leading(double x) { return x; }
BB_HD inline float leading(float x) { return x; }
BB_HD inline float leading(DoubleFloat x) { return x.high; }

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

/// A small count in the numbers of positions.
template <typename I>
BB_HD inline I counted(int i) {
  return I(static_cast<float>(i));
}
template <>
BB_HD inline double counted<double>(int i) {
  return i;
}

template <typename T>
struct Number3 {
  T x, y, z;

  Number3() = default;
  BB_HD explicit Number3(Vec3 v) : x(static_cast<T>(v.x)), y(static_cast<T>(v.y)), z(static_cast<T>(v.z)) {}
};

/// Numbers of cells along the edges.
template <typename T>
struct Cells {
  T a, b, c;
};

/// A fraction whose division is put off: of three of them one division is enough.
template <typename T>
struct Ratio {
  T above, below;
};

/// sin(πNδ)/sin(πδ) at δ from the nearest whole index, with `rest` of the turns Nδ; sin² does not know whole ones.
template <typename T>
BB_HD inline Ratio<T> row_ratio(T delta, T rest, T n) {
  // So close to a whole index the ratio is N to the last digit, and products of three stay far from underflow.
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

/// The same without taking whole turns off: what FP32 makes of the formula as it is written.
BB_HD inline float naive_row_of_cells(float index, float, float n) {
  constexpr float kPi = 3.14159265f;
  const float below = sine_of(kPi * index);
  const float above = sine_of(kPi * n * index);
  return below == 0.0f ? n : above / (below == 0.0f ? 1.0f : below);
}

/// The transform of a sphere squared, with x = π·turns; of sin and cos only the common sign changes with half turns.
template <typename T>
BB_HD inline T sphere_squared(T turns) {
  const T x = T(3.14159265358979323846) * turns;
  const T y = x * x;
  const T far = T(1) - y / T(88) * (T(1) - y / T(130) * (T(1) - y / T(180)));
  const T series = T(1) - y / T(10) * (T(1) - y / T(28) * (T(1) - y / T(54) * far));
  const T rest = turns - whole(turns);
  const bool small = y < T(0.6);
  const T away = small ? T(1) : x;
  const T direct = T(3) * (rest * sine_over_x(rest) / away - cosine(rest)) / (away * away);
  const T f = small ? series : direct;
  return f * f;
}

}  // namespace bb::diffraction::BB_ISA
