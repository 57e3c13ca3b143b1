#pragma once

#include "diffraction/model/lattice_scalar.hpp"
#include "lanes.hpp"

// Included by *.simd.cpp only.
namespace bb::diffraction::BB_ISA {

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
