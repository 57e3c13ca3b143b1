#pragma once

#include <cstddef>
#include <cstring>

#include "row_vectors.hpp"

// Sums over a row, and weighted sums of rows for the energy gather and the angle convolution. Partial sums stay in
// registers from the first row to the last. Only *.simd.cpp include this.
namespace bb::transport::BB_ISA {

inline int max_of(int a, int b) { return a > b ? a : b; }
inline int min_of(int a, int b) { return a < b ? a : b; }

/// Sum of a row in FP64.
template <typename T>
double sum_row(const T* row, int n) {
  double total = 0.0;
  for (int i = 0; i < n; ++i) total += static_cast<double>(row[i]);
  return total;
}

/// Sum of one value per lane, in four independent partial sums.
template <typename T>
double sum_lanes(const T* lane) {
  constexpr int kParts = 4;
#if defined(__GNUC__)
  // Without this type, compilers extract the lanes one by one.
  typedef T Lanes __attribute__((vector_size(kParts * sizeof(T))));
  typedef double Parts __attribute__((vector_size(kParts * sizeof(double))));
  Parts part = {};
  for (int i = 0; i < kRowAlign; i += kParts) {
    Lanes lanes;
    std::memcpy(&lanes, lane + i, sizeof lanes);
    part += __builtin_convertvector(lanes, Parts);
  }
#else
  double part[kParts] = {};
  for (int i = 0; i < kRowAlign; i += kParts) {
    for (int j = 0; j < kParts; ++j) part[j] += static_cast<double>(lane[i + j]);
  }
#endif
  return (part[0] + part[1]) + (part[2] + part[3]);
}

/// Sum of a row of whole vectors, one partial sum per lane.
template <typename T>
double sum_vectors(const T* row, int n) {
  T lane[kRowAlign] = {};
  for (int i = 0; i < n; i += kRowAlign) {
    for (int j = 0; j < kRowAlign; ++j) lane[j] += row[i + j];
  }
  return sum_lanes(lane);
}

/// A row, from column `first` to `last`, and its weight in a sum of rows.
template <typename T>
struct Tap {
  const T* row;
  T weight;
  int first, last;
};

/// Maximum number of rows in one energy gather.
constexpr int kMaxTaps = 32;

/// Sets columns `lo` to `hi` of `to` to the weighted sum of rows, in their order. Columns that a row lacks count as
/// zero.
template <typename T>
void sum_taps(const Tap<T>* taps, int n, T* to, int lo, int hi) {
  int first = lo, last = hi;  // columns that all rows have
  for (int k = 0; k < n; ++k) {
    first = max_of(first, taps[k].first);
    last = min_of(last, taps[k].last);
  }
  if (n == 0 || first >= last) first = last = hi;
  each_block<T>(first, last, [&](auto block, int x) {
    typename decltype(block)::Type sum;
    for (int k = 0; k < n; ++k) sum.add(taps[k].weight, taps[k].row + x);
    sum.store(to + x);
  });
  const auto beside = [&](int from, int end) {
    if (from >= end) return;
    for (int x = from; x < end; ++x) to[x] = T(0);
    for (int k = 0; k < n; ++k) {
      const Tap<T>& tap = taps[k];
      for (int x = max_of(from, tap.first); x < min_of(end, tap.last); ++x) to[x] += tap.weight * tap.row[x];
    }
  };
  beside(lo, first);
  beside(last, hi);
}

/// The rows of a tile that scatter to one angle. Distant rows are added first. In FP32, the small terms of the tails
/// would mostly be lost in a large sum: 1e-6 of the protons in a run.
template <typename T>
struct Reach {
  const T* tile;
  std::ptrdiff_t width;
  const T* weights;         // indexed by distance
  std::ptrdiff_t apart;     // stride between the kernels of adjacent source angles; 0: all share one kernel
  int angle;                // relative to the tile's first
  int far_first, far_last;  // range of distances at which a row exists on one side only
  bool far_below;
  int pairs;    // largest distance with rows on both sides
  bool itself;  // whether the tile has a row for this angle

  Reach(const T* rows, int row_width, const T* kernels, int kernels_apart, int at, int angles, int half)
      : tile(rows), width(row_width), weights(kernels), apart(kernels_apart), angle(at) {
    const int below = min_of(half, at), above = min_of(half, angles - 1 - at);
    itself = at >= 0 && at < angles;
    far_below = itself ? below > above : at >= angles;
    far_last = far_below ? below : above;
    pairs = itself ? min_of(below, above) : 0;
    far_first = itself ? pairs + 1 : max_of(1, far_below ? at - angles + 1 : -at);
  }

  /// Writes the sum to columns `lo` to `hi` of `to`.
  void sum(T* to, int lo, int hi) const {
    each_block<T>(lo, hi, [&](auto block, int x) { sum_block<typename decltype(block)::Type>(to, x); });
  }

 private:
  const T* row(int at) const { return tile + at * width; }
  /// Weight with which the row at `at` contributes to an angle `distance` rows away.
  const T* weight(int at, int distance) const { return weights + at * apart + distance; }

  template <typename B>
  void sum_block(T* to, int x) const {
    B sum;
    if (far_last >= far_first) {
      const int away = far_below ? -1 : 1;
      const T* from = row(angle + away * far_last) + x;
      const T* by = weight(angle + away * far_last, far_last);
      const std::ptrdiff_t nearer = -away * width, kernel = -away * apart - 1;
      for (int k = far_last; k >= far_first; --k, from += nearer, by += kernel) sum.add(*by, from);
    }
    if (pairs > 0) {
      const T* below = row(angle - pairs) + x;
      const T* above = row(angle + pairs) + x;
      const T* by_below = weight(angle - pairs, pairs);
      const T* by_above = weight(angle + pairs, pairs);
      if (apart > 0) {
        for (int k = pairs; k > 0; --k, below += width, above -= width) {
          sum.add(*by_below, below);
          sum.add(*by_above, above);
          by_below += apart - 1;
          by_above -= apart + 1;
        }
      } else {
        for (int k = pairs; k > 0; --k, below += width, above -= width, --by_below) {
          sum.add(*by_below, below, above);
        }
      }
    }
    if (itself) sum.add(*weight(angle, 0), row(angle) + x);
    sum.store(to + x);
  }
};

}  // namespace bb::transport::BB_ISA
