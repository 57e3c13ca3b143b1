#include "medium.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "index.hpp"
#include "tables.hpp"

namespace bb::transport {
namespace {

constexpr std::size_t kMaxTables = 256;

/// Returns a cached table. Building one needs a millisecond, and a process solves the same materials repeatedly, so
/// tables are cached by content. Threads share them. If there are too many, unused tables are evicted first.
std::shared_ptr<const physics::StoppingTable> table_of(const Material& m) {
  using Content = std::pair<std::vector<double>, std::vector<double>>;
  static std::mutex mutex;
  static std::map<Content, std::shared_ptr<const physics::StoppingTable>> kept;
  Content content{{m.energies.begin(), m.energies.end()}, {m.stopping.begin(), m.stopping.end()}};
  {
    const std::scoped_lock lock(mutex);
    const auto found = kept.find(content);
    if (found != kept.end()) return found->second;
  }
  auto made = std::make_shared<const physics::StoppingTable>(m.energies, m.stopping);
  const std::scoped_lock lock(mutex);
  if (kept.size() >= kMaxTables) std::erase_if(kept, [](const auto& each) { return each.second.use_count() == 1; });
  return kept.emplace(std::move(content), std::move(made)).first->second;
}

}  // namespace

Medium::Medium(const Material& m, const PathSoFar& path) : material(m), so_far(path), kept(table_of(m)), table(*kept) {}

ScatteringModel scattering_model(const Problem& problem, const physics::StoppingTable& water) {
  return {problem.scattering, problem.beam.energy, water.view(), problem.materials[0].x0};
}

double scattering_power(const Problem& problem, const Material& material, const physics::StoppingTable& water,
                        double energy) {
  return scattering_model(problem, water).power(energy, material.x0, material.xs);
}

double straggling_variance(const Problem& problem, const Medium& medium, double middle, double after, double path_mm) {
  return straggling_variance(problem.straggling, medium.table.view(), medium.material.z_over_a, middle, after,
                             medium.thickness(path_mm));
}

std::optional<std::size_t> cell_on_axis(const Problem& p, const Beam& beam, const Tables& t, double way) {
  const auto z = static_cast<int>((t.depth_first_node + way * std::cos(beam.angle)) / p.grid.dz);
  const double start = std::clamp(beam.x / p.grid.dx + 0.5 * t.nx, 0.0, std::nextafter(static_cast<double>(t.nx), 0.0));
  const auto x = static_cast<int>(std::floor(start + way * std::sin(beam.angle) / p.grid.dx));
  if (z >= t.nz || x < 0 || x >= t.nx) return {};
  return u(z) * u(t.nx) + u(x);
}

std::vector<AxisRow> rows_on_axis(const Problem& p, std::span<const Medium> media, const Tables& t) {
  const physics::StoppingTable& water = media[0].table;
  const double cosine = std::cos(p.beam.angle), start = water.range(p.beam.energy);
  std::vector<AxisRow> out;
  double energy = p.beam.energy, square = 0.0, path = std::max(0.0, (t.depth_first_node - p.beam.z) / cosine);
  for (int z = t.start.z; z < t.nz; ++z, path = p.grid.dz / cosine) {
    const std::optional<std::size_t> cell = cell_on_axis(p, p.beam, t, (z - t.start.z) * p.grid.dz / cosine);
    if (!cell) break;
    // The path to a node is in the material of the previous row. For the first node it is in the material of the node's
    // own row.
    const Medium& before = media[out.empty() ? p.map[*cell] : out.back().material];
    const double middle = before.energy_after(energy, 0.5 * path);
    energy = before.energy_after(energy, path);
    if (!(energy > p.grid.cutoff)) break;
    square += before.thickness(path) * scattering_power(p, before.material, water, middle);
    out.push_back({energy, start - water.range(energy), square, p.map[*cell]});
  }
  return out;
}

int count_rows_on_axis(const Problem& p, std::span<const Medium> media, const Tables& t) {
  const double cosine = std::cos(p.beam.angle), path = p.grid.dz / cosine;
  double energy = p.beam.energy, left = 0.0, end = 0.0;  // residual range in the medium, and range at the cutoff, g/cm²
  const Medium* medium = nullptr;
  int rows = 0;
  for (int z = t.start.z; z < t.nz; ++z, ++rows) {
    const std::optional<std::size_t> cell = cell_on_axis(p, p.beam, t, (z - t.start.z) * path);
    if (!cell) break;
    if (const Medium* here = &media[p.map[*cell]]; here != medium) {
      if (medium != nullptr) energy = medium->table.energy_at(left);
      medium = here;
      left = medium->table.range(energy);
      end = medium->table.range(p.grid.cutoff);
    }
    if (!(left > end)) break;
    left -= medium->thickness(path);
  }
  return rows;
}

std::vector<double> detours(const Problem& p, std::span<const Medium> media, const EnergyGrid& grid,
                            std::span<const AxisRow> axis) {
  std::vector<double> longer(u(grid.size()), 1.0);
  const physics::StoppingTable& water = media[0].table;
  const double start = water.range(p.beam.energy);
  AxisRow above{p.beam.energy, 0.0, 0.0, axis.empty() ? p.map[u(p.grid.nx / 2)] : axis.front().material};
  std::size_t next = 0;
  for (int e = grid.size() - 1; e >= 0; --e) {
    const double energy = grid.energies()[u(e)];
    if (energy >= p.beam.energy || energy < p.grid.cutoff) {
      if (e + 1 < grid.size()) longer[u(e)] = longer[u(e) + 1];
      continue;
    }
    while (next < axis.size() && axis[next].energy > energy) above = axis[next++];
    const double crossed = start - water.range(energy);
    double square = above.square;
    if (next < axis.size()) {
      const double share = (crossed - above.crossed) / (axis[next].crossed - above.crossed);
      square += share * (axis[next].square - above.square);
    } else {  // inside the last row, or outside the grid
      const Medium& medium = media[above.material];
      const double way = medium.table.range(above.energy) - medium.table.range(energy);
      square += way * scattering_power(p, medium.material, water, 0.5 * (above.energy + energy));
      above = {energy, crossed, square, above.material};
    }
    longer[u(e)] = 1.0 + 0.5 * square;
  }
  return longer;
}

}  // namespace bb::transport
