#pragma once

#include <span>

#include "problem.hpp"
#include "tables.hpp"

namespace bb::transport {

/// Additions and multiplications per cell in the operators of one step, averaged over energies, angles and the cells of
/// the map. Counts the work that a problem's tables define, even if a variant repeats some of it. A clamp counts as
/// two.
double flops_per_cell_step(const Tables& tables);

/// Total sizes of the rows of one path and material.
struct RowSizes {
  double taps, pairs;  // taps of the energy gather; pairs of angles at one distance, in the angle kernels
};
/// Computes the same number from sizes [paths·materials].
double flops_per_cell_step(const Tables& tables, std::span<const RowSizes> sizes);

}  // namespace bb::transport
