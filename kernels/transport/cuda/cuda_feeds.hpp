#pragma once

#include <algorithm>
#include <cstddef>

#include "transport/model/tables.hpp"
#include "transport/model/typed_tables.hpp"

// The operator tables seen from the bin that is made.
namespace bb::transport {

/// Calls f(class, material, row of the tables) for all that a bin has.
template <typename F>
void each_row(const Tables& t, int bin, F&& f) {
  for (int c = 0; c < t.classes; ++c) {
    for (int m = 0; m < t.materials; ++m) f(c, m, t.row(c, m, bin));
  }
}

/// Calls f(row of the tables) for every path and material of a bin.
template <typename F>
void each_path(const Tables& t, int bin, F&& f) {
  for (int path = 0; path < t.paths; ++path) {
    for (int m = 0; m < t.materials; ++m) f(t.path_row(path, m, bin));
  }
}

/// Neighbouring bins that feed one bin in any class and material.
struct Feeds {
  int low, count;
};

inline Feeds feeds_of(const Tables& t, int bin) {
  int low = t.ne, high = -1;
  each_path(t, bin, [&](std::size_t row) {
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      low = std::min(low, t.gather_source[static_cast<std::size_t>(k)]);
      high = std::max(high, t.gather_source[static_cast<std::size_t>(k)]);
    }
  });
  return high < 0 ? Feeds{bin, 0} : Feeds{low, high - low + 1};
}

inline Feeds feeds_and_itself(const Tables& t, int bin) {
  const Feeds feeds = feeds_of(t, bin);
  const int low = std::min(feeds.low, bin);
  return {low, std::max(feeds.low + feeds.count, bin + 1) - low};
}

/// Half width of a bin's widest angle kernel; weights that are zero in T do not count.
template <typename T>
int widest_kernel(const Tables& t, const TypedTables<T>& typed, int bin) {
  int half = 0;
  each_path(t, bin, [&](std::size_t row) {
    const int begin = t.angle_begin[row];
    for (int k = t.angle_begin[row + 1] - 1; k > begin + half; --k) {
      if (typed.angle_weight[static_cast<std::size_t>(k)] == T(0)) continue;
      half = k - begin;
      break;
    }
  });
  return half;
}

}  // namespace bb::transport
