#include "axis.hpp"

#include <algorithm>
#include <cmath>

#include "transport/model/index.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

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
    // The path to a node lies in the matter of the row before it, that to the first one in its own.
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
  double energy = p.beam.energy, left = 0.0, end = 0.0;  // range in the medium, and that at the cutoff, g/cm²
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
    } else {  // within the last row, or behind the grid
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
