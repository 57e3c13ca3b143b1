#pragma once

#include <cstddef>
#include <cstring>

#include "row_vectors.hpp"

// Sums of a row, and weighted sums of rows, which stay in registers from the first row to the last: the energy gather
// and the angle convolution. Only *.simd.cpp include this.
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

/// Sum of one value per lane, in four parts that do not wait for each other.
template <typename T>
double sum_lanes(const T* lane) {
  constexpr int kParts = 4;
#if defined(__GNUC__)
  // Compilers take the lanes out one by one otherwise.
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

/// A row that is added to another, times its weight, from column `first` to `last`.
template <typename T>
struct Tap {
  const T* row;
  T weight;
  int first, last;
};

/// Most rows that an energy gather adds at a time.
constexpr int kMostTaps = 32;

/// Makes the columns `lo` to `hi` of `to` the sum of rows, in their order; what a row does not have is zero.
template <typename T>
void sum_taps(const Tap<T>* taps, int n, T* to, int lo, int hi) {
  int first = lo, last = hi;  // that all rows have
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

/// The rows of a tile that spread to one angle. Far ones first: added last, the small parts of the tails would meet a
/// large sum and be lost in FP32 more often than not: 1e-6 of the protons over a run.
template <typename T>
struct Reach {
  const T* tile;
  std::ptrdiff_t width;
  const T* weights;         // by distance
  std::ptrdiff_t apart;     // of the kernels of two angles that protons start from; 0: all have the same
  int angle;                // counted from the tile's first
  int far_first, far_last;  // distances at which there is a row on one side only
  bool far_below;
  int pairs;    // up to here there are two
  bool itself;  // whether the angle has a row of its own

  Reach(const T* rows, int row_width, const T* kernels, int kernels_apart, int at, int angles, int half)
      : tile(rows), width(row_width), weights(kernels), apart(kernels_apart), angle(at) {
    const int below = min_of(half, at), above = min_of(half, angles - 1 - at);
    itself = at >= 0 && at < angles;
    far_below = itself ? below > above : at >= angles;
    far_last = far_below ? below : above;
    pairs = itself ? min_of(below, above) : 0;
    far_first = itself ? pairs + 1 : max_of(1, far_below ? at - angles + 1 : -at);
  }

  /// Into the columns `lo` to `hi` of `to`.
  void sum(T* to, int lo, int hi) const {
    each_block<T>(lo, hi, [&](auto block, int x) { sum_block<typename decltype(block)::Type>(to, x); });
  }

 private:
  const T* row(int at) const { return tile + at * width; }
  /// By how much the row at `at` counts, as far as `distance` away.
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
