#include "lateral.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace bb::transport {
namespace {

constexpr double kFarthest = 7.0;  // sigmas; 1e-12 of the distribution is beyond
constexpr int kPerSigma = 64;
constexpr int kNodes = static_cast<int>(2.0 * kFarthest) * kPerSigma + 1;
constexpr double kAlike = 1e-6;       // relative variance of the variances, below which a single Gaussian is used
constexpr double kNarrowest = 1e-12;  // mm²

/// Coefficients of the cubic between a node and the next, lowest power first.
using Cubic = std::array<double, 4>;

std::array<Cubic, kNodes> make_cubics() {
  const auto value = [](int i) {
    if (i == 0 || i == kNodes - 1) return i == 0 ? 0.0 : 1.0;
    return 0.5 * std::erfc(-(static_cast<double>(i) / kPerSigma - kFarthest) / std::numbers::sqrt2);
  };
  const auto slope = [](int i) {
    const double x = static_cast<double>(i) / kPerSigma - kFarthest;
    return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi) / kPerSigma;
  };
  std::array<Cubic, kNodes> out{};
  for (int i = 0; i + 1 < kNodes; ++i) {
    const double rise = value(i + 1) - value(i), a = slope(i), b = slope(i + 1);
    out[static_cast<std::size_t>(i)] = {value(i), a, 3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise};
  }
  out.back() = {1.0, 0.0, 0.0, 0.0};
  return out;
}

const std::array<Cubic, kNodes>& cubics() {
  static const std::array<Cubic, kNodes> all = make_cubics();
  return all;
}

/// Share of a normal distribution below a position in nodes, which must be within the table.
double below_node(const std::array<Cubic, kNodes>& all, double place) {
  const int low = static_cast<int>(place);
  const double t = place - low;
  const Cubic& c = all[static_cast<std::size_t>(low)];
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

}  // namespace

double normal_below(double sigmas) {
  if (sigmas <= -kFarthest) return 0.0;
  if (sigmas >= kFarthest) return 1.0;
  return below_node(cubics(), (sigmas + kFarthest) * kPerSigma);
}

GaussianPair gaussian_pair(const std::array<double, 4>& m) {
  GaussianPair out;
  if (m[0] == 0.0) return out;
  const double mean = std::max(m[1] / m[0], 0.0);
  const double variance = m[2] / m[0] - mean * mean;
  out.count = 1;
  out.weight[0] = m[0];
  out.sigma[0] = std::sqrt(std::max(mean, kNarrowest));
  if (!(m[0] > 0.0) || !(variance > kAlike * mean * mean)) return out;
  const double third = m[3] / m[0] - 3.0 * mean * m[2] / m[0] + 2.0 * mean * mean * mean;
  const double skew = third / variance;
  const double root = std::sqrt(skew * skew + 4.0 * variance);
  const double above = 0.5 * (skew + root), below = 0.5 * (skew - root);
  if (!(mean + below > kNarrowest)) return out;
  out.count = 2;
  const double share = -below / root;
  out.weight = {m[0] * (1.0 - share), m[0] * share};
  out.sigma = {std::sqrt(mean + below), std::sqrt(mean + above)};
  return out;
}

Outside add_pair(const GaussianPair& pair, double centre, double first, double dx, std::span<double> cells) {
  Outside outside;
  const std::array<Cubic, kNodes>& all = cubics();
  const int n = static_cast<int>(cells.size());
  for (std::size_t k = 0; k < static_cast<std::size_t>(pair.count); ++k) {
    const double weight = pair.weight[k], per_sigma = 1.0 / pair.sigma[k];
    const double reach = kFarthest * pair.sigma[k];
    const auto cell_of = [&](double x) {
      return static_cast<int>(std::clamp(std::floor((x - first) / dx), -1.0, 1.0 * n));
    };
    const int low = std::max(cell_of(centre - reach), 0), high = std::min(cell_of(centre + reach), n - 1);
    // Positions of cell edges in nodes. The ends of the table include everything beyond them.
    const double per_cell = dx * per_sigma * kPerSigma;
    const double start = ((first - centre) * per_sigma + kFarthest) * kPerSigma;
    const auto below = [&](int edge) {
      return below_node(all, std::clamp(start + edge * per_cell, 0.0, kNodes - 1.0));
    };
    double before = below(low);
    if (low == 0) outside.low += weight * before;
    for (int i = low; i <= high; ++i) {
      const double after = below(i + 1);
      cells[static_cast<std::size_t>(i)] += weight * (after - before);
      before = after;
    }
    if (high == n - 1) outside.high += weight * (1.0 - before);
  }
  return outside;
}

Outside outside_of(const GaussianPair& pair, double centre, double first, double end) {
  Outside outside;
  for (std::size_t k = 0; k < static_cast<std::size_t>(pair.count); ++k) {
    outside.low += pair.weight[k] * normal_below((first - centre) / pair.sigma[k]);
    outside.high += pair.weight[k] * (1.0 - normal_below((end - centre) / pair.sigma[k]));
  }
  return outside;
}

}  // namespace bb::transport
