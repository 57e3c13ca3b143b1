#include "stopping.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace bb::physics {
namespace {

constexpr std::size_t kMeshPerTable = StoppingView::kMeshPerTable;
constexpr double kMeshTop_MeV = 1000.0;  // minimum end of the mesh

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

  const double p0 = -view().slope_at(x_.front());
  mesh_range_.push_back(energies[0] / stopping[0] / (1.0 + p0));
  for (std::size_t i = 0; i + 1 < mesh_.size(); ++i) {
    mesh_range_.push_back(view().range_in(static_cast<int>(i), mesh_[i + 1]));
  }
  for (const double x : mesh_) mesh_slope_.push_back(std::exp(view().log_stopping(x) - x));
}

}  // namespace bb::physics
