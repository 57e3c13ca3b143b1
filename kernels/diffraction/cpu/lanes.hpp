#pragma once

#include "block_ops.hpp"
#include "diffraction/model/lattice_scalar.hpp"
#include "diffraction/model/setup.hpp"

// Included by *.simd.cpp only.
namespace bb::diffraction::BB_ISA {

/// Neighbouring pixels of a row that are computed side by side: the temporaries of a block fit the L1 cache.
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

/// Sub-pixels of one block: `count` from `fast` on in the row `slow` of a layer, one pixel apart.
struct BlockPlace {
  int fast, slow, count;
  int sub_fast, sub_slow, depth;

  Vec3 first(const Setup& s) const {
    return s.position(fast * s.oversample + sub_fast, slow * s.oversample + sub_slow, depth);
  }
};

/// Unit vectors from the crystal to the sub-pixels. Positions are counted from the block's first.
template <typename T>
void directions(const Setup& s, const BlockPlace& at, Lanes3<T>& d) {
  const Number3<T> start(at.first(s)), step(s.pixel * s.detector.fast);
  for (int i = 0; i < kLanes; ++i) {
    const T n = counted<T>(i);
    const T x = start.x + n * step.x, y = start.y + n * step.y, z = start.z + n * step.z;
    const T r = reciprocal_root(x * x + y * y + z * z);
    d.x.set(i, r * x);
    d.y.set(i, r * y);
    d.z.set(i, r * z);
  }
}

/// (d - incident) / wavelength, 1/m.
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

/// One fractional index: an edge times q.
template <typename T>
inline T index(const Number3<T>& edge, const Lanes3<T>& q, int i) {
  return edge.x * q.x.get(i) + edge.y * q.y.get(i) + edge.z * q.z.get(i);
}

}  // namespace bb::diffraction::BB_ISA
