#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transport/model/tables.hpp"

namespace bb::transport {

/// Spreads totals of groups of cells, of any width, over the cells: along the monotone cubic through their running sum, so
/// that every group retains its total. Group k is the cells first[k] … first[k + 1] - 1.
void spread_groups(std::span<const double> totals, std::span<const double> widths, std::span<const std::int32_t> first,
                   std::span<double> cells);

/// Dose per plane and column of the reactions' grid, [plane][column] MeV, spread over its cells, [z][x]: in depth and then
/// across, by the way in water that each cell stands for. `stopping` is that of every material, per mm.
std::vector<double> spread_planes(const Tables& tables, const std::vector<double>& planes,
                                  std::span<const double> stopping);

}  // namespace bb::transport
