#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/model/typed_tables.hpp"

namespace bb::transport {

/// The tables with adjacent rows for each bin. A slice is one bin at all angles: in the order of `Tables` the row of
/// each angle lies in a separate part of memory.
template <typename T>
struct TablesByBin : TypedTables<T> {
  explicit TablesByBin(const Tables& tables);

  std::vector<std::int32_t> gather_begin;  // [materials·ne·paths + 1]
  std::vector<std::int32_t> gather_source;
  std::vector<std::int32_t> angle_begin;  // [materials·ne·paths + 1]
  std::vector<std::int32_t> path_of;      // [classes]
  /// By angle, what a proton adds to the sums over a plane: its weight there, that times the angle, and times its square.
  std::vector<std::array<T, 3>> plane_weight;
  int ne = 0, paths = 1;

  /// The row of a class.
  std::size_t row(int c, int m, int e) const {
    return (static_cast<std::size_t>(m) * static_cast<std::size_t>(ne) + static_cast<std::size_t>(e)) *
               static_cast<std::size_t>(paths) +
           static_cast<std::size_t>(path_of[static_cast<std::size_t>(c)]);
  }
};

extern template struct TablesByBin<float>;
extern template struct TablesByBin<double>;

}  // namespace bb::transport
