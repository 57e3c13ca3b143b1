#include "reaction_grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "entry/start.hpp"
#include "index.hpp"

namespace bb::transport {
namespace {

// Number of planes over the beam's range, in any material. The cost of following products grows with its square. With
// 100 planes the falloff of the dose is 1.5 % wider.
constexpr double kPlanes = 125.0;
// Maximum length of planes far from the ends of beams, relative to other planes. The dose of reaction products changes
// slowly there.
constexpr double kFar = 2.0;
constexpr double kEntrance = 0.04, kEnd = 0.2;  // parts of a beam's range in which planes are not longer
constexpr double kThin = 10.0;                  // maximum length of a plane in thin material, relative to water
constexpr double kColumn_mm = 2.0;              // maximum column width in water, or one cell; products spread wider
// Minimum number of steps per plane if steps are longer than cells, because only one row in several contains reactions.
constexpr double kStepsPerPlane = 4.0;
constexpr double kRounding = 1e-9;

/// Ratio of the linear stopping power of each medium to that of water of density 1, at the beam's energy.
std::vector<double> stopping_ratios(const Problem& p, std::span<const Medium> media) {
  std::vector<double> out;
  const double water = media[0].table.stopping(p.beam.energy);
  for (const Medium& medium : media) {
    out.push_back(medium.material.density * medium.table.stopping(p.beam.energy) / water);
  }
  return out;
}

/// Maximum stopping ratio in each row of z, so that planes are not too long in any column.
std::vector<double> densest_of_rows(const Problem& p, const std::vector<double>& ratios) {
  std::vector<double> out;
  for (int z = 0; z < p.grid.nz; ++z) {
    const std::uint8_t* row = &p.map[u(z) * u(p.grid.nx)];
    double most = 0.0;
    for (int x = 0; x < p.grid.nx; ++x) most = std::max(most, ratios[row[x]]);
    out.push_back(most);
  }
  return out;
}

/// Range of depths with longer planes, mm of water.
struct DepthInterval {
  double from = 0, to = 0;
};

/// Divides the rows into planes of up to `most` mm of water.
void cut_planes(const Problem& p, const std::vector<double>& ratios, double most, const DepthInterval& far,
                ReactionGrid& g) {
  const bool coarse = p.step > 1.001 * p.grid.dz && p.stepping == Stepping::kPath;
  const int least = coarse ? static_cast<int>(std::ceil(kStepsPerPlane * p.step / p.grid.dz)) : 1;
  double taken = 0.0, depth = 0.0;
  g.first_row.push_back(0);
  for (int z = 0; z < p.grid.nz; ++z) {
    const int rows = z - g.first_row.back();
    const double row = p.grid.dz * ratios[u(z)], long_as = (rows + 1) * p.grid.dz;
    const double longest = most * (depth >= far.from && depth + row < far.to ? kFar : 1.0) * (1.0 + kRounding);
    const bool full = taken + row > longest || long_as > kThin * longest;
    if (rows >= least && full) {
      g.first_row.push_back(z);
      taken = 0.0;
    }
    taken += row;
    depth += row;
    g.plane_of.push_back(static_cast<std::int32_t>(g.first_row.size()) - 1);
  }
  g.planes = static_cast<int>(g.first_row.size());
  g.first_row.push_back(p.grid.nz);
}

/// The most frequent size of planes that are not thin: length in mm, and length in water in mm.
struct TypicalPlane {
  double length = 0, in_water = 0;
};

/// The dose of products builds up behind the entrance and ends where a beam ends.
DepthInterval interior_depths(const Problem& p, const physics::StoppingTable& water) {
  const Beam& slowest = *std::ranges::min_element(spots_of(p), {}, &Beam::energy);
  return {kEntrance * 10.0 * water.range(p.beam.energy), (1.0 - kEnd) * 10.0 * water.range(slowest.energy)};
}

/// Whether products are stored by the bin of their range in the middle of a plane, instead of the bin of the reaction.
bool has_long_planes(const Problem& p) {
  return (p.variant == "moments" || p.variant == "cuda-moments") && !p.track_scores;
}

TypicalPlane typical_plane(const Problem& p, const std::vector<double>& ratios, double most, const ReactionGrid& g) {
  std::map<std::pair<int, double>, int> counts;  // number of planes by rows and ratio
  for (int plane = 0; plane < g.planes; ++plane) {
    const double ratio = ratios[u(g.first_row[u(plane)])];
    const bool thin = g.rows(plane) * p.grid.dz * ratio < 0.5 * most && plane + 1 < g.planes;
    counts[{g.rows(plane), ratio}] += thin ? 0 : 1;
  }
  const auto [rows, ratio] = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
  return {rows * p.grid.dz, rows * p.grid.dz * ratio};
}

}  // namespace

ReactionGrid reaction_grid(const Problem& p, std::span<const Medium> media, const std::vector<double>& energies) {
  ReactionGrid g;
  if (p.nuclear != Nuclear::kIcru63) return g;
  const physics::StoppingTable& water = media[0].table;
  const double most = 10.0 * water.range(p.beam.energy) / kPlanes;
  const std::vector<double> ratios = densest_of_rows(p, stopping_ratios(p, media));
  // Bins are derived from planes of equal length, so that products end within a bin for any planes.
  cut_planes(p, ratios, most, {}, g);
  const TypicalPlane typical = typical_plane(p, ratios, most, g);
  if (has_long_planes(p)) {
    g.plane_of.clear();
    g.first_row.clear();
    cut_planes(p, ratios, most, interior_depths(p, water), g);
  }
  const double ratio = typical.in_water / typical.length;
  g.cells = std::clamp(static_cast<int>(kColumn_mm / std::max(1.0, ratio) / p.grid.dx + kRounding), 1, p.grid.nx);
  g.columns = (p.grid.nx + g.cells - 1) / g.cells;
  // About one bin per plane, but no finer than required by thin material alone.
  g.spacing = 0.1 * std::max(typical.in_water, 0.5 * most);
  const double top = std::max(*std::ranges::max_element(energies), p.beam.energy);
  g.bins = std::max(4, static_cast<int>(std::ceil(water.range(top) / g.spacing)) + 2);
  for (int b = 0; b < g.bins; ++b) g.energy.push_back(water.energy_at((b + 0.5) * g.spacing));
  const double half = 0.05 * ratio * (p.stepping == Stepping::kDepth ? p.grid.dz : p.step);
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
