#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables.hpp"

namespace bb::transport {

/// The energy gather of `Tables` by source: destinations of the protons of (path, m, e).
struct SourceTaps {
  std::vector<std::size_t> begin;         // [rows + 1], from 0
  std::vector<std::int32_t> destination;  // energy bin
  std::vector<std::size_t> tap;           // index into Tables::gather_weight
};

/// Taps of `rows` rows from `first` on, both multiples of the number of bins.
SourceTaps taps_by_source(const Tables& tables, std::size_t first, std::size_t rows);
/// Taps of all rows.
SourceTaps taps_by_source(const Tables& tables);

/// A stretch of cells of one material in a row z.
struct MaterialRun {
  std::int32_t begin = 0, end = 0;  // x
  std::int32_t material = 0;
};

/// The tables in the type with which a variant computes, indexed like `Tables`. For float, the weights are multiples of
/// 2^-24 with exactly the same sums as in FP64: a source's energy taps + stopped + nuclear = 1, an angle kernel w[0] +
/// 2 Σ w[k] = 1. Rounding each weight independently would create or lose up to 3e-8 of the protons per step, always in
/// the same direction for a bin. `deposit` is computed from the rounded weights, so the energy is balanced too. For
/// double, all values are copies.
template <typename T>
struct TypedTables {
  explicit TypedTables(const Tables& tables, const InParallel& in_parallel = one_after_the_other);

  std::vector<T> gather_weight;   // indexed like Tables::gather_weight
  std::vector<T> deposit;         // [paths·materials·ne] MeV
  std::vector<T> stopped;         // fraction
  std::vector<T> nuclear;         // fraction
  std::vector<T> nuclear_escape;  // MeV
  std::vector<T> angle_weight;    // indexed like Tables::angle_weight

  std::vector<std::array<T, physics::kRemapTaps>> flux_x, flux_z;  // [ntheta]

  std::vector<std::int32_t> run_begin;  // [nz + 1] first of `runs` in each row
  std::vector<MaterialRun> runs;        // the map, row by row, as stretches of one material
};

extern template struct TypedTables<float>;
extern template struct TypedTables<double>;

}  // namespace bb::transport
