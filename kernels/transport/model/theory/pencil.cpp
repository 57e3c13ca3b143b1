#include "pencil.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>

#include "physics/stopping.hpp"
#include "transport/model/medium.hpp"

namespace bb::transport {

std::vector<physics::PencilMoments> pencil_beam(const Problem& problem) {
  if (problem.filled) throw ProblemError("unsupported", "Fermi-Eyges: there is no beam");
  if (!problem.spots.empty()) throw ProblemError("unsupported", "Fermi-Eyges: the beam has several spots");
  if (problem.beam.angle != 0.0) throw ProblemError("unsupported", "Fermi-Eyges: the beam is not along z");
  std::deque<physics::StoppingTable> tables;
  std::vector<physics::PencilMedium> media;
  for (const Material& material : problem.materials) {
    const physics::StoppingTable& table = tables.emplace_back(material.energies, material.stopping);
    media.push_back({[&table, &material](double energy, double length) {
                       return table.energy_at(table.range(energy) - 0.1 * length * material.density);
                     },
                     [&problem, &tables, &material](double energy) {
                       return scattering_power(problem, material, tables.front(), energy) * 0.1 * material.density;
                     }});
  }
  const GridSpec& grid = problem.grid;
  const int first = static_cast<int>(std::floor(problem.beam.z / grid.dz));
  const int column = std::clamp(static_cast<int>(std::floor(problem.beam.x / grid.dx + 0.5 * grid.nx)), 0, grid.nx - 1);
  const auto medium_of = [&](int i) -> const physics::PencilMedium& {
    const std::size_t cell =
        static_cast<std::size_t>(first + i) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(column);
    return media[problem.map[cell]];
  };
  const physics::PencilMoments start{problem.beam.angle_sigma * problem.beam.angle_sigma,
                                     -problem.beam.focus * problem.beam.angle_sigma * problem.beam.angle_sigma,
                                     problem.beam.x_sigma * problem.beam.x_sigma};
  return physics::fermi_eyges(start, problem.beam.energy, grid.cutoff, grid.nz - first, grid.dz, medium_of);
}

}  // namespace bb::transport
