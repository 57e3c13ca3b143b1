#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables.hpp"

namespace bb::transport {

/// A stretch of cells of one row z that hold one material.
struct MaterialRun {
  std::int32_t begin = 0, end = 0;  // x
  std::int32_t material = 0;
};

/// The tables in the type that a variant computes with, indexed exactly as in `Tables`.
///
/// For float the weights are multiples of 2^-24 whose sums are exactly what they are in FP64: a
/// source's energy taps + stopped + nuclear = 1, an angle kernel w[0] + 2 Σ w[k] = 1. Rounding each
/// weight by itself would create or lose up to 3e-8 of the protons in every step; always the same
/// way for the same bin. `deposit` follows from the rounded weights, so energy balances as well.
/// For double everything is a plain copy.
template <typename T>
struct TypedTables {
  explicit TypedTables(const Tables& tables, const InParallel& in_parallel = one_after_the_other);

  std::vector<T> gather_weight;   // as Tables::gather_weight
  std::vector<T> deposit;         // [paths·materials·ne] MeV
  std::vector<T> stopped;         // fraction
  std::vector<T> nuclear;         // fraction
  std::vector<T> nuclear_escape;  // MeV
  std::vector<T> angle_weight;    // as Tables::angle_weight

  std::vector<std::array<T, physics::kRemapTaps>> flux_x, flux_z;  // [ntheta]

  std::vector<std::int32_t> run_begin;  // [nz + 1] rows of `runs`
  std::vector<MaterialRun> runs;        // the map, row by row, as stretches of one material
};

extern template struct TypedTables<float>;
extern template struct TypedTables<double>;

}  // namespace bb::transport
