#include "reaction_grid.hpp"

#include <algorithm>
#include <cmath>

#include "index.hpp"

namespace bb::transport {
namespace {

// Planes over the beam's range, at least: following products takes as the square of them. With 100 the falloff of the
// dose is 1.5 % wider.
constexpr double kPlanes = 125.0;
constexpr double kColumn_mm = 2.0;      // at most, unless a cell is wider: products spread over more on their way
constexpr double kStepsPerPlane = 4.0;  // where a step is longer than a cell its reactions lie in one row of several

}  // namespace

ReactionGrid reaction_grid(const Problem& p, const physics::StoppingTable& water, double beam_range,
                           const std::vector<double>& energies) {
  ReactionGrid g;
  if (p.nuclear != Nuclear::kIcru63) return g;
  const double range_mm = 10.0 * beam_range;
  g.rows = std::max(1, static_cast<int>(range_mm / kPlanes / p.grid.dz + 1e-9));
  if (p.step > 1.001 * p.grid.dz && p.stepping == Stepping::kPath) {
    g.rows = std::max(g.rows, static_cast<int>(std::ceil(kStepsPerPlane * p.step / p.grid.dz)));
  }
  g.rows = std::min(g.rows, p.grid.nz);
  g.planes = (p.grid.nz + g.rows - 1) / g.rows;
  g.cells = std::clamp(static_cast<int>(kColumn_mm / p.grid.dx + 1e-9), 1, p.grid.nx);
  g.columns = (p.grid.nx + g.cells - 1) / g.cells;
  g.spacing = 0.1 * g.rows * p.grid.dz;
  const double top = std::max(*std::ranges::max_element(energies), p.beam.energy);
  g.bins = std::max(4, static_cast<int>(std::ceil(water.range(top) / g.spacing)) + 2);
  for (int b = 0; b < g.bins; ++b) g.energy.push_back(water.energy_at((b + 0.5) * g.spacing));
  const double half = 0.05 * (p.stepping == Stepping::kDepth ? p.grid.dz : p.step);
  for (const double energy : energies) {
    const double range = energy > 0.0 ? water.range(energy) - half : 0.0;
    const double middle = range > 0.0 ? water.energy_at(range) : 0.0;
    if (middle < g.energy.front()) {
      g.at.push_back(0.0);
      g.bin.push_back(0);
      g.upper.push_back(0.0);
      continue;
    }
    const auto above = std::ranges::upper_bound(g.energy, middle) - g.energy.begin();
    const int low = std::clamp(static_cast<int>(above) - 1, 0, g.bins - 2);
    g.at.push_back(middle);
    g.bin.push_back(low);
    g.upper.push_back((middle - g.energy[u(low)]) / (g.energy[u(low + 1)] - g.energy[u(low)]));
  }
  return g;
}

}  // namespace bb::transport
