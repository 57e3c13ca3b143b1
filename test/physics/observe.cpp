#include "observe.hpp"

#include <algorithm>
#include <cmath>

namespace bb::test {
namespace {

std::size_t u(int i) { return static_cast<std::size_t>(i); }

}  // namespace

double Curve::at(double position) const {
  const double i = std::clamp((position - first) / step, 0.0, static_cast<double>(value.size()) - 1.000001);
  const auto low = static_cast<std::size_t>(i);
  const double f = i - static_cast<double>(low);
  return (1.0 - f) * value[low] + f * value[low + 1];
}

std::vector<double> Curve::edges() const {
  // The slopes on both sides of each edge must be equal: e[i-1] + 4 e[i] + e[i+1] = 3 (v[i-1] + v[i]). Solved by
  // Thomas' algorithm.
  const std::size_t n = value.size();
  std::vector<double> edge(n + 1), upper(n + 1);
  upper[0] = 0.5;
  edge[0] = 1.5 * value[0];
  for (std::size_t i = 1; i <= n; ++i) {
    const double pivot = (i == n ? 2.0 : 4.0) - upper[i - 1];
    upper[i] = 1.0 / pivot;
    edge[i] = (3.0 * (value[i - 1] + (i == n ? 0.0 : value[i])) - edge[i - 1]) / pivot;
  }
  for (std::size_t i = n; i-- > 0;) edge[i] -= upper[i] * edge[i + 1];
  return edge;
}

namespace {

constexpr int kParts = 400;  // sampling points per cell

/// Value in cell `i` at fraction `t` of its width.
double in_cell(const Curve& c, const std::vector<double>& edge, std::size_t i, double t) {
  return edge[i] * (1.0 - 4.0 * t + 3.0 * t * t) + edge[i + 1] * (3.0 * t * t - 2.0 * t) +
         c.value[i] * 6.0 * t * (1.0 - t);
}

}  // namespace

double Curve::peak() const {
  const std::vector<double> edge = edges();
  const auto top = static_cast<std::size_t>(std::ranges::max_element(value) - value.begin());
  double highest = value[top];
  for (std::size_t i = top > 0 ? top - 1 : 0; i < std::min(top + 2, value.size()); ++i) {
    for (int k = 0; k <= kParts; ++k) highest = std::max(highest, in_cell(*this, edge, i, 1.0 * k / kParts));
  }
  return highest;
}

double Curve::distal(double share) const {
  const std::vector<double> edge = edges();
  const double level = share * peak();
  for (std::size_t i = value.size(); i-- > 0;) {
    if (edge[i] < level || edge[i + 1] >= level) continue;
    double above = 0.0, below = 1.0;
    while (below - above > 1e-9) {
      const double middle = 0.5 * (above + below);
      (in_cell(*this, edge, i, middle) >= level ? above : below) = middle;
    }
    return first + step * (static_cast<double>(i) - 0.5 + above);
  }
  return NAN;
}

SolvedProblem::SolvedProblem(const transport::Problem& problem) : run_(problem), result_(run_.execute({})) {}

Curve SolvedProblem::depth_dose() const {
  const transport::Tables& t = tables();
  Curve curve{0.5 * t.dz, t.dz, std::vector<double>(u(t.nz))};
  for (int z = 0; z < t.nz; ++z) {
    for (int x = 0; x < t.nx; ++x) curve.value[u(z)] += result_.dose[u(z) * u(t.nx) + u(x)];
  }
  return curve;
}

Curve SolvedProblem::dose_along(double x0, double z0, double angle) const {
  const transport::Tables& t = tables();
  constexpr int kParts = 8;  // a cell is sampled at 8 × 8 points
  const double width = std::min(t.dx, t.dz);
  Curve curve{0.5 * width, width,
              std::vector<double>(u(static_cast<int>(std::hypot(t.nx * t.dx, t.nz * t.dz) / width) + 1))};
  for (int z = 0; z < t.nz; ++z) {
    for (int x = 0; x < t.nx; ++x) {
      const double part = result_.dose[u(z) * u(t.nx) + u(x)] / (kParts * kParts);
      for (int i = 0; i < kParts * kParts; ++i) {
        const double zz = (z + (i / kParts + 0.5) / kParts) * t.dz - z0;
        const double xx = (x + (i % kParts + 0.5) / kParts - 0.5 * t.nx) * t.dx - x0;
        const double way = zz * std::cos(angle) + xx * std::sin(angle);
        if (way >= 0.0) curve.value[std::min(static_cast<std::size_t>(way / width), curve.value.size() - 1)] += part;
      }
    }
  }
  return curve;
}

Fluence SolvedProblem::fluence(double depth) const {
  const transport::Tables& t = tables();
  using C = engine::Crossing;
  const double i = std::clamp(depth / t.dz - 0.5, 0.0, t.nz - 1.000001);
  const auto low = static_cast<std::size_t>(i);
  const double f = i - static_cast<double>(low);
  const auto plane = [&](std::size_t z) {
    const double* c = &result_.crossing[z * C::kCount];
    const double n = c[C::kN];
    const double x = c[C::kX] / n, theta = c[C::kTheta] / n;
    return Fluence{n,
                   x,
                   c[C::kXX] / n - x * x - t.start.x_variance,
                   theta,
                   c[C::kThetaTheta] / n - theta * theta,
                   c[C::kXTheta] / n - x * theta};
  };
  const Fluence a = plane(low), b = plane(low + 1);
  const auto mix = [f](double p, double q) { return (1.0 - f) * p + f * q; };
  return {mix(a.number, b.number),
          mix(a.x, b.x),
          mix(a.x_variance, b.x_variance),
          mix(a.theta, b.theta),
          mix(a.theta_variance, b.theta_variance),
          mix(a.covariance, b.covariance)};
}

double SolvedProblem::sigma_x(double depth) const { return std::sqrt(fluence(depth).x_variance); }

}  // namespace bb::test
