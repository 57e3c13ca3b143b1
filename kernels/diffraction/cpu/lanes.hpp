#pragma once

#include "block_ops.hpp"
#include "diffraction/model/lattice_scalar.hpp"
#include "diffraction/model/setup.hpp"

// Included by *.simd.cpp only.
namespace bb::diffraction::BB_ISA {

/// Number of neighbouring pixels of a row that are computed together, as a block whose temporaries fit the L1 cache.
inline constexpr int kLanes = kBlockPixels;

template <typename T>
struct Lanes {
  alignas(64) T of[kLanes];

  T get(int i) const { return of[i]; }
  void set(int i, T value) { of[i] = value; }
};

template <>
struct Lanes<DoubleFloat> {
  alignas(64) float high[kLanes], low[kLanes];

  DoubleFloat get(int i) const { return {high[i], low[i]}; }
  void set(int i, DoubleFloat value) {
    high[i] = value.high;
    low[i] = value.low;
  }
};

template <typename T>
struct Lanes3 {
  Lanes<T> x, y, z;
};

/// Positions of `count` sub-pixels of one block, one pixel apart, from column `fast` on in row `slow` of a layer.
struct BlockPosition {
  int fast, slow, count;
  int sub_fast, sub_slow, depth;

  Vec3 first(const Setup& s) const {
    return s.position(fast * s.oversample + sub_fast, slow * s.oversample + sub_slow, depth);
  }
};

/// Unit vectors from the crystal to the sub-pixels. Positions are relative to the block's first sub-pixel.
template <typename T>
void directions(const Setup& s, const BlockPosition& at, Lanes3<T>& d) {
  const Number3<T> start(at.first(s)), step(s.pixel * s.detector.fast);
  for (int i = 0; i < kLanes; ++i) {
    const T n = from_count<T>(i);
    const T x = start.x + n * step.x, y = start.y + n * step.y, z = start.z + n * step.z;
    const T r = reciprocal_root(x * x + y * y + z * z);
    d.x.set(i, r * x);
    d.y.set(i, r * y);
    d.z.set(i, r * z);
  }
}

/// Scattering vector q = (d - incident) / wavelength, 1/m.
template <typename T>
void transfer(const Source& source, const Lanes3<T>& d, Lanes3<T>& q) {
  const Number3<T> in(source.incident);
  const T per(1.0 / source.wavelength);
  for (int i = 0; i < kLanes; ++i) {
    q.x.set(i, per * (d.x.get(i) - in.x));
    q.y.set(i, per * (d.y.get(i) - in.y));
    q.z.set(i, per * (d.z.get(i) - in.z));
  }
}

/// One fractional index of reflection: the scalar product of a cell edge and the scattering vector q.
template <typename T>
inline T index(const Number3<T>& edge, const Lanes3<T>& q, int i) {
  return edge.x * q.x.get(i) + edge.y * q.y.get(i) + edge.z * q.z.get(i);
}

/// One axis of a block: `delta` is h - round(h), `rest` the fractional part of N·delta. The naive arithmetic stores h
/// itself in `delta`.
template <typename T>
struct Fractions {
  const T* delta;
  const T* rest;
};

/// Squared lattice factor of every lane.
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
