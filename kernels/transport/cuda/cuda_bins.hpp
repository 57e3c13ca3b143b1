#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "transport/model/tables.hpp"
#include "transport/model/typed_tables.hpp"

// The operator tables ordered by target bin.
namespace bb::transport {

/// Calls f(class, material, row of the tables) for every class and material of a bin.
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

/// Range of neighbouring bins that are sources of a bin in any class and material.
struct SourceRange {
  int low, count;
};

inline SourceRange feeds_of(const Tables& t, int bin) {
  int low = t.ne, high = -1;
  each_path(t, bin, [&](std::size_t row) {
    for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
      low = std::min(low, t.gather_source[static_cast<std::size_t>(k)]);
      high = std::max(high, t.gather_source[static_cast<std::size_t>(k)]);
    }
  });
  return high < 0 ? SourceRange{bin, 0} : SourceRange{low, high - low + 1};
}

inline SourceRange feeds_and_itself(const Tables& t, int bin) {
  const SourceRange feeds = feeds_of(t, bin);
  const int low = std::min(feeds.low, bin);
  return {low, std::max(feeds.low + feeds.count, bin + 1) - low};
}

/// Half width of the widest angle kernel of a bin, without weights that round to zero in T.
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

/// Layout of the operator tables by target bin: neighbouring bins as sources, one weight for every source, material and
/// class, and one width for all angle kernels of a bin.
struct BinLayout {
  struct Bin {
    int feed_low = 0, feed_count = 0;  // range of source bins of this bin, in any class and material
    int feed_at = 0;                   // start of the list of sources in `feed_bin`, heaviest first
    int feed_weight_at = 0;            // [source in list order][material][class] in `feed_weight`
    int half = 0;                      // half width of the widest angle kernel; weights of zero in T do not count
    int kernel_at = 0;                 // [material][distance 0 … half][class] in `kernel_weight`
    bool ends = false;                 // protons stop or react in this bin
  };
  std::vector<Bin> bins;                            // [ne]
  std::size_t feeds = 0, weights = 0, kernels = 0;  // sums over all bins
  int most_feeds = 0, most_half = 0;

  /// Assigns offsets to the lists, one after the other, from the number of sources and the widest kernel of each bin.
  void lay_out(int materials, int classes);
};

/// Operator tables with the layout of BinLayout, in type T.
template <typename T>
struct BinTables : BinLayout {
  explicit BinTables(BinLayout layout) : BinLayout(std::move(layout)) {}
  /// Runs on all cores.
  BinTables(const Tables& tables, const TypedTables<T>& typed);

  std::vector<int> feed_bin;
  std::vector<T> feed_weight, kernel_weight;
  std::vector<T> lost;  // [end][ne][material][angle] share that scattering sends off the grid

 private:
  void fill_feeds(const Tables& t, const TypedTables<T>& typed, int bin);
  void fill_kernels(const Tables& t, const TypedTables<T>& typed, int bin);
  void fill_losses(const Tables& t, int bin, bool above);
};

extern template struct BinTables<float>;
extern template struct BinTables<double>;

}  // namespace bb::transport
