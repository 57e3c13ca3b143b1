#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace bb::transport {

/// A number and its derivatives in kWays directions. All operations follow the chain rule.
template <std::size_t kWays>
struct Dual {
  double v = 0;
  std::array<double, kWays> d{};

  Dual() = default;
  Dual(double value) : v(value) {}  // a constant, with zero derivatives

  /// Returns f(v) = `value`, where `slope` is the derivative of f at v.
  Dual chained(double value, double slope) const {
    Dual out(value);
    for (std::size_t k = 0; k < kWays; ++k) out.d[k] = slope * d[k];
    return out;
  }

  Dual& operator+=(const Dual& b) {
    v += b.v;
    for (std::size_t k = 0; k < kWays; ++k) d[k] += b.d[k];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    v -= b.v;
    for (std::size_t k = 0; k < kWays; ++k) d[k] -= b.d[k];
    return *this;
  }
  Dual& operator*=(const Dual& b) {
    for (std::size_t k = 0; k < kWays; ++k) d[k] = d[k] * b.v + v * b.d[k];
    v *= b.v;
    return *this;
  }
  Dual& operator/=(const Dual& b) {
    v /= b.v;
    for (std::size_t k = 0; k < kWays; ++k) d[k] = (d[k] - v * b.d[k]) / b.v;
    return *this;
  }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend Dual operator-(const Dual& a) { return a.chained(-a.v, -1.0); }
};

template <std::size_t kWays>
Dual<kWays> sqrt(const Dual<kWays>& a) {
  const double root = std::sqrt(a.v);
  return a.chained(root, root > 0.0 ? 0.5 / root : 0.0);
}

template <std::size_t kWays>
Dual<kWays> log10(const Dual<kWays>& a) {
  constexpr double kLn10 = 2.302585092994046;
  return a.chained(std::log10(a.v), 1.0 / (kLn10 * a.v));
}

}  // namespace bb::transport
