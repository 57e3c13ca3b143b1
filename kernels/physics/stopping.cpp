#include "stopping.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace bb::physics {
namespace {

constexpr std::size_t kMeshPerTable = 40;  // range mesh cells between two table entries
constexpr double kMeshTop_MeV = 1000.0;    // the mesh always reaches this far

// Three-point Gauss-Legendre on [0, 1].
constexpr std::array<double, 3> kNode = {0.1127016653792583, 0.5, 0.8872983346207417};
constexpr std::array<double, 3> kWeight = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

}  // namespace

StoppingTable::StoppingTable(std::span<const double> energies, std::span<const double> stopping) {
  const std::size_t n = energies.size();
  if (n != stopping.size() || n < 4) {
    throw std::invalid_argument("a stopping power table needs at least 4 pairs, got " + std::to_string(n) +
                                " energies and " + std::to_string(stopping.size()) + " values");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(energies[i] > 0.0) || !(stopping[i] > 0.0) || !std::isfinite(energies[i]) || !std::isfinite(stopping[i]) ||
        (i > 0 && energies[i] <= energies[i - 1])) {
      throw std::invalid_argument("stopping power table entry " + std::to_string(i) +
                                  ": T = " + std::to_string(energies[i]) + " MeV, S = " + std::to_string(stopping[i]) +
                                  "; both must be positive and T ascending");
    }
    x_.push_back(std::log(energies[i]));
    y_.push_back(std::log(stopping[i]));
  }

  // Natural cubic spline: tridiagonal solve for the second derivatives.
  y2_.assign(n, 0.0);
  std::vector<double> u(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double sig = (x_[i] - x_[i - 1]) / (x_[i + 1] - x_[i - 1]);
    const double p = sig * y2_[i - 1] + 2.0;
    y2_[i] = (sig - 1.0) / p;
    const double d = (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]) - (y_[i] - y_[i - 1]) / (x_[i] - x_[i - 1]);
    u[i] = (6.0 * d / (x_[i + 1] - x_[i - 1]) - sig * u[i - 1]) / p;
  }
  for (std::size_t i = n - 1; i-- > 0;) y2_[i] = y2_[i] * y2_[i + 1] + u[i];

  for (std::size_t i = 0; i + 1 < n; ++i) {
    for (std::size_t k = 0; k < kMeshPerTable; ++k) {
      mesh_.push_back(x_[i] + (x_[i + 1] - x_[i]) * static_cast<double>(k) / static_cast<double>(kMeshPerTable));
    }
  }
  mesh_.push_back(x_.back());
  const double h = (x_.back() - x_[n - 2]) / static_cast<double>(kMeshPerTable);
  while (mesh_.back() < std::log(kMeshTop_MeV)) mesh_.push_back(mesh_.back() + h);

  const double p0 = -slope_at(x_.front());
  mesh_range_.push_back(energies[0] / stopping[0] / (1.0 + p0));
  for (std::size_t i = 0; i + 1 < mesh_.size(); ++i) mesh_range_.push_back(range_in(i, mesh_[i + 1]));
  for (const double x : mesh_) mesh_slope_.push_back(std::exp(log_stopping(x) - x));
}

double StoppingTable::slope_at(double x) const {
  if (x <= x_.front()) {
    const double h = x_[1] - x_[0];
    return (y_[1] - y_[0]) / h - h * y2_[1] / 6.0;
  }
  const std::size_t n = x_.size();
  const double h = x_[n - 1] - x_[n - 2];
  return (y_[n - 1] - y_[n - 2]) / h + h * y2_[n - 2] / 6.0;
}

double StoppingTable::log_stopping(double x) const {
  if (x <= x_.front()) return y_.front() + slope_at(x) * (x - x_.front());
  if (x >= x_.back()) return y_.back() + slope_at(x) * (x - x_.back());
  const auto it = std::upper_bound(x_.begin(), x_.end(), x);
  return log_stopping_between(static_cast<std::size_t>(it - x_.begin()) - 1, x);
}

double StoppingTable::log_stopping_between(std::size_t lo, double x) const {
  const std::size_t hi = lo + 1;
  const double h = x_[hi] - x_[lo];
  const double a = (x_[hi] - x) / h;
  const double b = 1.0 - a;
  return a * y_[lo] + b * y_[hi] + ((a * a * a - a) * y2_[lo] + (b * b * b - b) * y2_[hi]) * h * h / 6.0;
}

double StoppingTable::log_stopping_in(std::size_t cell, double x) const {
  const std::size_t lo = cell / kMeshPerTable;
  return lo + 1 < x_.size() ? log_stopping_between(lo, x) : log_stopping(x);
}

double StoppingTable::range_in(std::size_t cell, double x) const {
  const double width = x - mesh_[cell];
  double sum = 0.0;
  for (std::size_t k = 0; k < kNode.size(); ++k) {
    const double u = mesh_[cell] + width * kNode[k];
    sum += kWeight[k] * std::exp(u - log_stopping_in(cell, u));
  }
  return mesh_range_[cell] + width * sum;
}

double StoppingTable::stopping(double energy) const { return std::exp(log_stopping(std::log(energy))); }

double StoppingTable::range(double energy) const {
  if (energy <= 0.0) return 0.0;
  const double x = std::log(energy);
  if (x <= mesh_.front()) {
    const double p0 = -slope_at(x_.front());
    return mesh_range_.front() * std::exp((1.0 + p0) * (x - mesh_.front()));
  }
  const auto it = std::upper_bound(mesh_.begin(), mesh_.end(), x);
  return range_in(std::min(static_cast<std::size_t>(it - mesh_.begin()), mesh_.size()) - 1, x);
}

double StoppingTable::energy_at(double range) const {
  if (range <= 0.0) return 0.0;
  if (range <= mesh_range_.front()) {
    const double p0 = -slope_at(x_.front());
    return std::exp(mesh_.front() + std::log(range / mesh_range_.front()) / (1.0 + p0));
  }
  const auto it = std::upper_bound(mesh_range_.begin(), mesh_range_.end(), range);
  const std::size_t hi =
      std::clamp<std::size_t>(static_cast<std::size_t>(it - mesh_range_.begin()), 1, mesh_.size() - 1);
  const std::size_t lo = hi - 1;
  const double h = mesh_range_[hi] - mesh_range_[lo];
  const double t = (range - mesh_range_[lo]) / h;
  const double u = 1.0 - t;
  double x = u * u * ((1.0 + 2.0 * t) * mesh_[lo] + t * h * mesh_slope_[lo]) +
             t * t * ((1.0 + 2.0 * u) * mesh_[hi] - u * h * mesh_slope_[hi]);
  // Beyond the mesh the first guess may be far off.
  for (int left = t <= 1.0 ? 1 : 8; left > 0; --left) {
    x += (range - range_in(lo, x)) * std::exp(log_stopping_in(lo, x) - x);
  }
  return std::exp(x);
}

}  // namespace bb::physics
