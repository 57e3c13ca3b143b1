#pragma once

#ifndef __CUDACC_RTC__
#include <bit>
#include <cstdint>
#endif

#include "device_setup.hpp"

namespace bb::diffraction::device {

/// Distance of an index from the nearest integer, and the fractional part of N times that distance (unit: turns).
template <typename T>
struct Phase {
  T delta, rest;
};

/// Returns above / below. `below` is far from underflow, so FP32 may multiply by its reciprocal.
BB_HD inline double quotient(double above, double below) { return above / below; }
BB_HD inline float quotient(float above, float below) {
#ifdef __CUDA_ARCH__
  return __fdividef(above, below);  // error up to 2 units in the last place (CUDA programming guide)
#else
  return above / below;
#endif
}

/// Squared lattice factor from the phases of three indices; `Rows` computes the ratio of sines for one index.
template <typename T, typename Rows>
BB_HD inline T lattice_squared(Shape shape, const Cells<T>& n, Phase<T> h, Phase<T> k, Phase<T> l, Rows&& rows) {
  if (shape == Shape::kSquare) {
    const Ratio<T> a = rows(h.delta, h.rest, n.a), b = rows(k.delta, k.rest, n.b), c = rows(l.delta, l.rest, n.c);
    const T f = quotient(a.above * b.above * c.above, a.below * b.below * c.below);
    return f * f;
  }
  const T all = n.a * n.b * n.c, x = n.a * h.delta, y = n.b * k.delta, z = n.c * l.delta;
  const T rho2 = x * x + y * y + z * z;
  switch (shape) {
    case Shape::kRound:
      return static_cast<T>(physics::kSphere * physics::kSphere) * all * all * sphere_squared(std::sqrt(rho2));
    case Shape::kGauss:
      return all * all * std::exp(T(-2) / static_cast<T>(physics::kGaussWidth2) * rho2);
    default:
      return rho2 < static_cast<T>(physics::kTophatRadius2) ? all * all : T(0);
  }
}

template <typename T>
struct SeriesRows {
  BB_HD Ratio<T> operator()(T delta, T rest, T n) const { return row_ratio(delta, rest, n); }
};

/// Arithmetic that first subtracts whole turns from the indices.
template <typename I, typename T, typename Rows = SeriesRows<T>>
struct PhaseReduced {
  using Index = I;
  using Factor = T;
  using Setup = DeviceSetup<I, T>;

  template <typename N>
  BB_HD static Phase<T> phase(I index, N n) {
    const I delta = fraction(index);
    return {static_cast<T>(leading_part(delta)), static_cast<T>(leading_part(fraction(times(n, delta))))};
  }
  template <typename S>
  BB_HD static T lattice(const S& s, I h, I k, I l) {
    if constexpr (sizeof(T) == sizeof(I) || sizeof(leading_part(h)) == 4) {
      return lattice_squared(s.shape, s.cells, phase(h, s.cells.a), phase(k, s.cells.b), phase(l, s.cells.c), Rows{});
    } else {
      const Cells<double>& n = s.cells64;
      return lattice_squared(s.shape, s.cells, phase(h, n.a), phase(k, n.b), phase(l, n.c), Rows{});
    }
  }
};

using Fp64 = PhaseReduced<double, double>;
using Delta = PhaseReduced<float, float>;
using Mixed = PhaseReduced<double, float>;
using DoubleFloats = PhaseReduced<DoubleFloat, float>;

/// Evaluates the formula as written, in FP32.
struct Naive {
  using Index = float;
  using Factor = float;
  using Setup = DeviceSetup<float, float>;

  template <typename S>
  BB_HD static float lattice(const S& s, float h, float k, float l) {
    if (s.shape == Shape::kSquare) {
      const float f = naive_row_of_cells(h, 0, s.cells.a) * naive_row_of_cells(k, 0, s.cells.b) *
                      naive_row_of_cells(l, 0, s.cells.c);
      return f * f;
    }
    return lattice_squared(s.shape, s.cells, {fraction(h), 0}, {fraction(k), 0}, {fraction(l), 0}, SeriesRows<float>{});
  }
};

/// Uses the sine of the special function unit. Its error is absolute, so small phases lose relative accuracy.
struct HardwareRows {
  BB_HD Ratio<float> operator()(float delta, float rest, float n) const {
    constexpr float kPi = 3.14159265f;
#ifdef __CUDA_ARCH__
    const float above = __sinf(kPi * rest), below = __sinf(kPi * delta);
#else
    const float above = std::sin(kPi * rest), below = std::sin(kPi * delta);
#endif
    const bool near = below == 0.0f;
    return {near ? n : above, near ? 1.0f : below};
  }
};

using FastMath = PhaseReduced<double, float, HardwareRows>;

/// Index in units of 2^-32 turns, modulo one turn: the low 32 bits of its sum with 1.5 · 2^20, which rounds it. The
/// result is never 0, so the ratio of sines gives its limit at whole indices without a special case.
BB_HD inline int turn_bits(double index) {
  const double shifted = index + 1572864.0;
#ifdef __CUDA_ARCH__
  return __double2loint(shifted) | 1;
#else
  return static_cast<int>(std::bit_cast<std::uint64_t>(shifted) & 0xffffffffu) | 1;
#endif
}

inline constexpr float kTurn = 2.3283064365386963e-10f;  // 2^-32

struct FixedRows {
  BB_HD Ratio<float> operator()(float delta, float rest, float) const {
    return {rest * sine_over_x(rest), delta * sine_over_x(delta)};
  }
};

/// Represents phases as 32-bit integers. Their products with N wrap around as turns do, so whole turns need no
/// subtraction. Accurate to N · 2^-32 turns.
struct FixedPoint {
  using Index = double;
  using Factor = float;
  using Setup = DeviceSetup<double, float>;

  BB_HD static Phase<float> phase(double index, float n) {
    const int bits = turn_bits(index);
    const int rest = static_cast<int>(static_cast<unsigned>(bits) * static_cast<unsigned>(n));
    return {kTurn * static_cast<float>(bits), kTurn * static_cast<float>(rest)};
  }
  template <typename S>
  BB_HD static float lattice(const S& s, double h, double k, double l) {
    return lattice_squared(s.shape, s.cells, phase(h, s.cells.a), phase(k, s.cells.b), phase(l, s.cells.c),
                           FixedRows{});
  }
};

/// Chebyshev polynomial U(N-1) of the cosine by Reinsch's form of the recurrence, whose differences stay accurate near
/// cosine 1. Needs N - 1 steps of two operations, but no second sine and no division. `kCells` is N if all edges are
/// equal, for which the compiler unrolls the loop; 0 selects the general loop.
template <int kCells>
struct ChebyshevOf {
  using Index = double;
  using Factor = float;
  using Setup = DeviceSetup<double, float>;

  BB_HD static float row(double index, int cells) {
    const float half = 0.5f * kTurn * static_cast<float>(turn_bits(index));
    const float sine = half * near_sine_over_x(half);
    const float bend = -4.0f * sine * sine;  // twice the difference (cosine - 1)
    float difference = 1.0f, u = 1.0f;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int step = 1; step < (kCells > 0 ? kCells : cells); ++step) {
      difference += bend * u;
      u += difference;
    }
    return u;
  }
  template <typename S>
  BB_HD static float lattice(const S& s, double h, double k, double l) {
    const float f =
        row(h, static_cast<int>(s.cells.a)) * row(k, static_cast<int>(s.cells.b)) * row(l, static_cast<int>(s.cells.c));
    return f * f;
  }
};

using Chebyshev = ChebyshevOf<0>;

/// Calls `f` with the unrolled recurrence if all edges have the same supported number of cells, otherwise with the
/// general one.
template <typename S, typename F>
BB_HD inline void with_equal_edges(const S& s, F&& f) {
  const int n = static_cast<int>(s.cells.a);
  switch (s.cells.a == s.cells.b && s.cells.b == s.cells.c ? n : 0) {
    case 2:
      return f(ChebyshevOf<2>{});
    case 3:
      return f(ChebyshevOf<3>{});
    case 4:
      return f(ChebyshevOf<4>{});
    case 5:
      return f(ChebyshevOf<5>{});
    case 6:
      return f(ChebyshevOf<6>{});
    case 8:
      return f(ChebyshevOf<8>{});
    case 10:
      return f(ChebyshevOf<10>{});
    case 12:
      return f(ChebyshevOf<12>{});
    case 16:
      return f(ChebyshevOf<16>{});
    default:
      return f(Chebyshev{});
  }
}

}  // namespace bb::diffraction::device
