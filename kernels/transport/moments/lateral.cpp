#include "lateral.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace bb::transport {
namespace {

constexpr double kFarthest = 7.0;  // sigmas: what lies beyond is 1e-12
constexpr int kPerSigma = 64;
constexpr int kNodes = static_cast<int>(2.0 * kFarthest) * kPerSigma + 1;
constexpr double kAlike = 1e-6;       // relative variance of the variances below which they are one
constexpr double kNarrowest = 1e-12;  // mm²

/// Value and slope per node.
struct Node {
  double below, slope;
};

std::vector<Node> make_nodes() {
  std::vector<Node> nodes;
  for (int i = 0; i < kNodes; ++i) {
    const double x = static_cast<double>(i) / kPerSigma - kFarthest;
    nodes.push_back({0.5 * std::erfc(-x / std::numbers::sqrt2),
                     std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi) / kPerSigma});
  }
  return nodes;
}

}  // namespace

double normal_below(double sigmas) {
  static const std::vector<Node> nodes = make_nodes();
  if (sigmas <= -kFarthest) return 0.0;
  if (sigmas >= kFarthest) return 1.0;
  const double place = (sigmas + kFarthest) * kPerSigma;
  const auto low = std::min(static_cast<std::size_t>(place), nodes.size() - 2);
  const double t = place - static_cast<double>(low);
  const Node &a = nodes[low], &b = nodes[low + 1];
  const double rise = b.below - a.below;
  return a.below + t * (a.slope + t * (3.0 * rise - 2.0 * a.slope - b.slope + t * (a.slope + b.slope - 2.0 * rise)));
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
  const int n = static_cast<int>(cells.size());
  for (std::size_t k = 0; k < static_cast<std::size_t>(pair.count); ++k) {
    const double weight = pair.weight[k], per_sigma = 1.0 / pair.sigma[k];
    const double reach = kFarthest * pair.sigma[k];
    const auto cell_of = [&](double x) {
      return static_cast<int>(std::clamp(std::floor((x - first) / dx), -1.0, 1.0 * n));
    };
    const int low = std::max(cell_of(centre - reach), 0), high = std::min(cell_of(centre + reach), n - 1);
    const auto below = [&](int edge) { return normal_below((first + edge * dx - centre) * per_sigma); };
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

}  // namespace bb::transport
