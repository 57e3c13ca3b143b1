#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "transport/model/typed_tables.hpp"

namespace bb::transport {

/// Positions of the operator tables as seen from the target bin: neighbouring bins as its sources, with one position for
/// every source, material and class, and one width for its angle kernels.
struct BinLayout {
  struct Bin {
    int feed_low = 0, feed_count = 0;  // fed from these neighbours in any class and material
    int feed_at = 0;                   // where the list of them begins in `feed_bin`, heaviest first
    int feed_weight_at = 0;            // [source as listed][material][class] in `feed_weight`
    int half = 0;                      // widest angle kernel; weights that are zero in T do not count
    int kernel_at = 0;                 // [material][distance 0 … half][class] in `kernel_weight`
    bool ends = false;                 // protons stop or react here
  };
  std::vector<Bin> bins;                            // [ne]
  std::size_t feeds = 0, weights = 0, kernels = 0;  // of all bins
  int most_feeds = 0, most_half = 0;

  /// Lays the lists out behind each other, by the number of feeds and the widest kernel of each bin.
  void lay_out(int materials, int classes);
};

/// Those tables.
template <typename T>
struct BinTables : BinLayout {
  explicit BinTables(BinLayout layout) : BinLayout(std::move(layout)) {}
  /// On all cores.
  BinTables(const Tables& tables, const TypedTables<T>& typed);

  std::vector<int> feed_bin;
  std::vector<T> feed_weight, kernel_weight;
  std::vector<T> lost;  // [end][ne][material][angle] share that scattering sends from an angle off the grid at its
                        // low and at its high end

 private:
  void fill_feeds(const Tables& t, const TypedTables<T>& typed, int bin);
  void fill_kernels(const Tables& t, const TypedTables<T>& typed, int bin);
  void fill_losses(const Tables& t, int bin, bool above);
};

extern template struct BinTables<float>;
extern template struct BinTables<double>;

}  // namespace bb::transport
