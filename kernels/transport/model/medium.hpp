#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "energy_grid.hpp"
#include "physics/stopping.hpp"
#include "problem.hpp"

namespace bb::transport {

/// Residual range and energy of a proton in one material, for paths in mm. `material` must outlive this object. One
/// material may have several media, which differ in the path so far.
class Medium {
 public:
  explicit Medium(const Material& m, const PathSoFar& so_far = {});

  /// A path as mass per area, g/cm².
  double thickness(double path_mm) const { return path_mm * 0.1 * material.density; }
  /// Energy after a path of a proton with `energy`; 0 if the path exceeds its range.
  double energy_after(double energy, double path_mm) const {
    return table.energy_at(table.range(energy) - thickness(path_mm));
  }
  /// Residual path, mm, of a proton with `energy`; 0 for energies <= 0.
  double range_mm(double energy) const { return energy > 0.0 ? table.range(energy) / (0.1 * material.density) : 0.0; }
  /// Energy of a proton `path_mm` before the point where it has `energy`.
  double energy_before(double energy, double path_mm) const {
    return table.energy_at(table.range(energy) + thickness(path_mm));
  }

  const Material& material;
  const PathSoFar so_far;
  const std::shared_ptr<const physics::StoppingTable> kept;  // shared by all media with the same content
  const physics::StoppingTable& table;
};

/// The problem's scattering model; `water` is the table of the first material.
ScatteringModel scattering_model(const Problem& problem, const physics::StoppingTable& water);

/// Scattering power in the problem's model at `energy`, rad² per g/cm²; `water` is the table of the first material.
double scattering_power(const Problem& problem, const Material& material, const physics::StoppingTable& water,
                        double energy);

/// Variance (MeV²) of the energy after a step of `path_mm`. The proton has the energy `middle` halfway and `after` at
/// the end.
double straggling_variance(const Problem& problem, const Medium& medium, double middle, double after, double path_mm);

struct Tables;

/// Cell on a beam's axis, `way` mm after the first node; empty beyond the grid. A beam that starts on a side of the
/// grid, or outside of it, can only enter through the cells along that side.
std::optional<std::size_t> cell_on_axis(const Problem& problem, const Beam& beam, const Tables& tables, double way);

/// Mean proton at the node of a map row, where the beam's axis crosses the row.
struct AxisRow {
  double energy = 0;   // MeV
  double crossed = 0;  // water crossed so far, g/cm²
  double square = 0;   // rad², mean square of the plane scattering angle
  std::uint8_t material = 0;
};

/// The rows from the first node until the beam stops or leaves the grid.
std::vector<AxisRow> rows_on_axis(const Problem& problem, std::span<const Medium> media, const Tables& tables);
/// Number of rows that a proton on the axis crosses before it stops or leaves the grid.
int count_rows_on_axis(const Problem& problem, std::span<const Medium> media, const Tables& tables);

/// [ne] Ratio of a proton's path length to its length in the plane, by energy bin. Scattering out of the plane, which
/// the solver does not resolve, makes paths longer by half of the mean square angle. Uses the materials on the beam's
/// axis. Applied when reactions are followed, because such runs are compared with measurements and with Monte Carlo. In
/// three dimensions this ratio makes R80 shorter.
std::vector<double> detours(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                            std::span<const AxisRow> axis);

}  // namespace bb::transport
