#include "pencil.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "transport/model/medium.hpp"

namespace bb::transport {

std::vector<physics::PencilMoments> pencil_beam(const Problem& problem) {
  if (problem.filled) throw ProblemError("unsupported", "Fermi-Eyges: the scenario has no beam");
  if (!problem.spots.empty()) throw ProblemError("unsupported", "Fermi-Eyges: the beam has several spots");
  if (problem.beam.angle != 0.0) throw ProblemError("unsupported", "Fermi-Eyges: the beam is not along z");
  // Only the media on the axis are built, because a map may have hundreds.
  const Medium water(problem.materials.front());
  struct AxisMedium {
    Medium medium;
    physics::PencilMedium pencil;
  };
  std::map<std::size_t, AxisMedium> known;
  const auto on_the_way = [&](std::size_t index) -> const physics::PencilMedium& {
    const auto found = known.find(index);
    if (found != known.end()) return found->second.pencil;
    AxisMedium& made = known.try_emplace(index, AxisMedium{Medium(problem.materials[index]), {}}).first->second;
    const Medium& medium = made.medium;
    made.pencil = {[&medium](double energy, double length) { return medium.energy_after(energy, length); },
                   [&problem, &water, &medium](double energy) {
                     return scattering_power(problem, medium.material, water.table, energy) * 0.1 *
                            medium.material.density;
                   }};
    return made.pencil;
  };
  const GridSpec& grid = problem.grid;
  const int first = static_cast<int>(std::floor(problem.beam.z / grid.dz));
  const int column = std::clamp(static_cast<int>(std::floor(problem.beam.x / grid.dx + 0.5 * grid.nx)), 0, grid.nx - 1);
  const auto medium_of = [&](int i) -> const physics::PencilMedium& {
    const std::size_t cell =
        static_cast<std::size_t>(first + i) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(column);
    return on_the_way(problem.map[cell]);
  };
  const physics::PencilMoments start{problem.beam.angle_sigma * problem.beam.angle_sigma,
                                     -problem.beam.focus * problem.beam.angle_sigma * problem.beam.angle_sigma,
                                     problem.beam.x_sigma * problem.beam.x_sigma};
  return physics::fermi_eyges(start, problem.beam.energy, grid.cutoff, grid.nz - first, grid.dz, medium_of);
}

}  // namespace bb::transport
