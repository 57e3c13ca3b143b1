#pragma once

#include "lanes.hpp"
#include "physics/lattice_factor.hpp"

// Included by *.simd.cpp only.
namespace bb::diffraction::BB_ISA {

/// Numbers of cells along the edges.
template <typename T>
struct Cells {
  T a, b, c;
};

/// sin(πNδ)/sin(πδ) at δ from the nearest whole index, with `rest` of the turns Nδ; sin² does not know whole ones.
template <typename T>
inline T row_of_cells(T delta, T rest, T n) {
  // So close to a whole index the ratio is N to the last digit, and products of three stay far from underflow.
  const T kNear = sizeof(T) == 4 ? T(1e-5) : T(1e-9);
  const T above = rest * sine_over_x(rest), below = delta * sine_over_x(delta);
  const bool near = std::abs(n * delta) < kNear;
  return near ? n : above / (near ? T(1) : below);
}

/// The same without taking whole turns off: what FP32 makes of the formula as it is written.
inline float naive_row_of_cells(float index, float, float n) {
  constexpr float kPi = 3.14159265f;
  const float below = sine_of(kPi * index);
  const float above = sine_of(kPi * n * index);
  return below == 0.0f ? n : above / (below == 0.0f ? 1.0f : below);
}

/// The transform of a sphere squared, with x = π·turns; of sin and cos only the common sign changes with half turns.
template <typename T>
inline T sphere_squared(T turns) {
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

/// One axis of a block: distances from the nearest whole indices (in the naive arithmetic the indices), and what is
/// left of N times them without whole turns.
template <typename T>
struct Fractions {
  const T* delta;
  const T* rest;
};

/// F²(lattice) of every lane.
template <typename T, typename Row>
void lattice_squared(Shape shape, Cells<T> n, Fractions<T> a, Fractions<T> b, Fractions<T> c, T* __restrict f2,
                     int count, Row&& row) {
  const T* __restrict dh = a.delta, * __restrict dk = b.delta, * __restrict dl = c.delta;
  const T* __restrict rh = a.rest, * __restrict rk = b.rest, * __restrict rl = c.rest;
  const T all = n.a * n.b * n.c;
  const auto rho2 = [&](int i) {
    const T h = n.a * dh[i], k = n.b * dk[i], l = n.c * dl[i];
    return h * h + k * k + l * l;
  };
  switch (shape) {
    case Shape::kSquare:
      for (int i = 0; i < count; ++i) {
        const T f = row(dh[i], rh[i], n.a) * row(dk[i], rk[i], n.b) * row(dl[i], rl[i], n.c);
        f2[i] = f * f;
      }
      break;
    case Shape::kRound: {
      const T top = static_cast<T>(physics::kSphere * physics::kSphere) * all * all;
      for (int i = 0; i < count; ++i) f2[i] = top * sphere_squared(std::sqrt(rho2(i)));
      break;
    }
    case Shape::kGauss:
      for (int i = 0; i < count; ++i) {
        f2[i] = all * all * std::exp(T(-2) / static_cast<T>(physics::kGaussWidth2) * rho2(i));
      }
      break;
    case Shape::kTophat:
      for (int i = 0; i < count; ++i) f2[i] = rho2(i) < static_cast<T>(physics::kTophatRadius2) ? all * all : T(0);
      break;
  }
}

}  // namespace bb::diffraction::BB_ISA
