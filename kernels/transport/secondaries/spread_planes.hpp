#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "secondaries.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

/// Like spread_groups(), but reusable for many totals of the same groups.
class GroupSpread {
 public:
  GroupSpread(std::span<const double> widths, std::span<const std::int32_t> first);
  void operator()(std::span<const double> totals, std::span<double> cells);

 private:
  std::vector<std::int32_t> first_;
  std::vector<std::array<double, 3>> shares_;  // by cell: weights of the first slope, the total, the last slope
  std::vector<double> width_, per_width_;      // by group
  std::vector<double> density_, slope_;        // scratch
};

/// Distributes the totals of groups of cells over the cells. A monotone cubic through their running sum ensures that
/// every group retains its total. Cells may have any width. Group k consists of the cells first[k] … first[k + 1] - 1.
void spread_groups(std::span<const double> totals, std::span<const double> widths, std::span<const std::int32_t> first,
                   std::span<double> cells);

/// Distributes the dose per plane and column of the reaction grid, [plane][column] MeV, over its cells, [z][x], first
/// in depth and then across. Cells are weighted by their thickness in water. `stopping` is the stopping power of each
/// material per mm.
std::vector<double> spread_planes(const Tables& tables, const std::vector<double>& planes,
                                  std::span<const double> stopping);

/// Like spread_planes() for layers, but a row is distributed across x only when it is requested.
std::shared_ptr<const DoseRows> rows_of_planes(const Tables& tables, const std::vector<double>& planes,
                                               std::span<const double> stopping);

}  // namespace bb::transport
