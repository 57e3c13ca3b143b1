#include "axis_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace bb::transport {
namespace {

/// Sine of the angle below which the axis counts as +z. The projection of dx on the axis is then far less than a
/// thousandth of a bin.
constexpr double kStraight = 1e-9;

/// Share of a trapezium (the sum of two uniform distributions of widths a >= b) below s, relative to its centre. It is
/// the integral of the convolution of two boxes.
double share_below(double s, double a, double b) {
  const double half = (a + b) / 2;
  if (s <= -half) return 0;
  if (s >= half) return 1;
  if (s > 0) return 1 - share_below(-s, a, b);
  const double flat = (a - b) / 2;
  if (s <= -flat) return (s + half) * (s + half) / (2 * a * b);
  return b / (2 * a) + (s + flat) / a;
}

}  // namespace

AxisProfile axis_profile(std::span<const double> dose, const AxisGeometry& g, std::span<const double> divisor,
                         double factor) {
  const auto energy_of = [&](std::size_t i) { return divisor.empty() ? dose[i] : dose[i] * factor / divisor[i]; };
  const double uz = std::cos(g.angle_rad), ux = std::sin(g.angle_rad);
  const double step = g.dz_mm;
  AxisProfile out{.start_mm = -g.z_mm, .step_mm = step, .values = {}};
  if (std::abs(ux) < kStraight && uz > 0) {
    out.values.resize(g.nz);
    // Several rows are summed at a time, each in its own order, so that consecutive additions do not depend on each
    // other.
    constexpr std::size_t kRows = 8;
    for (std::size_t z = 0; z < g.nz; z += kRows) {
      const std::size_t rows = std::min(kRows, g.nz - z);
      std::array<std::size_t, kRows> first{};
      for (std::size_t i = 0; i < kRows; ++i) first[i] = (z + std::min(i, rows - 1)) * g.nx;
      std::array<double, kRows> sum{};
      for (std::size_t x = 0; x < g.nx; ++x) {
        for (std::size_t i = 0; i < kRows; ++i) sum[i] += energy_of(first[i] + x);
      }
      for (std::size_t i = 0; i < rows; ++i) out.values[z + i] = sum[i] / step;
    }
    return out;
  }
  const double shadow = std::abs(g.dx_mm * ux);
  const double wide = std::max(g.reach_mm, shadow), narrow = std::max(std::min(g.reach_mm, shadow), 1e-12);
  const double half = (wide + narrow) / 2;
  const auto along = [&](double z_mm, double x_mm) { return (z_mm - g.z_mm) * uz + (x_mm - g.x_mm) * ux; };
  const double depth = static_cast<double>(g.nz) * g.dz_mm, side = static_cast<double>(g.nx) * g.dx_mm / 2;
  const std::array corners{along(0, -side), along(0, side), along(depth, -side), along(depth, side)};
  // The first bin starts at the entrance, so that it contains no dose from outside the matter.
  const double first = std::floor(std::ranges::min(corners) / step);
  const auto bins = static_cast<std::ptrdiff_t>(std::ceil(std::ranges::max(corners) / step) - first);
  out.start_mm = first * step;
  out.values.resize(static_cast<std::size_t>(bins));
  for (std::size_t z = 0; z < g.nz; ++z) {
    for (std::size_t x = 0; x < g.nx; ++x) {
      const double energy = energy_of(z * g.nx + x);
      if (energy == 0) continue;
      const double centre =
          along((static_cast<double>(z) + 0.5) * g.dz_mm, (static_cast<double>(x) + 0.5) * g.dx_mm - side) -
          first * step;
      const auto last = std::min(bins - 1, static_cast<std::ptrdiff_t>(std::floor((centre + half) / step)));
      auto bin = std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(std::floor((centre - half) / step)));
      double below = 0;
      for (; bin <= last; ++bin) {
        // The last bin receives the remainder, so that rounding loses nothing.
        const double next = bin == last ? 1 : share_below((static_cast<double>(bin) + 1) * step - centre, wide, narrow);
        out.values[static_cast<std::size_t>(bin)] += energy * (next - below) / step;
        below = next;
      }
    }
  }
  return out;
}

}  // namespace bb::transport
