#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "medium.hpp"
#include "transport/model/energy_grid.hpp"
#include "transport/model/problem.hpp"

namespace bb::transport {

struct Tables;

/// The cell on a beam's axis `way` mm behind the first node; empty behind the grid. A beam that starts on a side of the
/// grid, or outside of it, enters through the cells along that side, if at all.
std::optional<std::size_t> cell_on_axis(const Problem& problem, const Beam& beam, const Tables& tables, double way);

/// A row of the map where the beam's axis crosses it: the mean proton at its node.
struct AxisRow {
  double energy = 0;   // MeV
  double crossed = 0;  // g/cm² of water
  double square = 0;   // rad², mean square of the plane angle by scattering
  std::uint8_t material = 0;
};

/// The rows from the first node on, until the beam stops or leaves the grid.
std::vector<AxisRow> rows_on_axis(const Problem& problem, std::span<const Medium> media, const Tables& tables);
/// Rows that a proton on the axis crosses before it stops or leaves the grid.
int count_rows_on_axis(const Problem& problem, std::span<const Medium> media, const Tables& tables);

/// [ne] Ratio of a proton's path to its path in the plane, by energy bin: scattering across the plane, which the solver
/// does not resolve, makes paths longer by half of the mean square angle. By the matter on the beam's axis. Reactions are
/// compared with measurements and Monte Carlo in three dimensions, where R80 is shorter by it.
std::vector<double> detours(const Problem& problem, std::span<const Medium> media, const EnergyGrid& grid,
                            std::span<const AxisRow> axis);

}  // namespace bb::transport
