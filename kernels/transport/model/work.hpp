#pragma once

#include <span>

#include "problem.hpp"
#include "tables.hpp"

namespace bb::transport {

/// Additions and multiplications that the operators of one step need per cell, on average over energies, angles and
/// the cells of the map: what a problem's tables ask for, whatever a variant computes twice. A clamp counts as two.
double flops_per_cell_step(const Tables& tables);

/// Total content of the rows of one path and material.
struct RowSizes {
  double taps, pairs;  // of the energy gather; of neighbours of one distance, of the angle kernels
};
/// The same by sizes [paths·materials].
double flops_per_cell_step(const Tables& tables, std::span<const RowSizes> sizes);

}  // namespace bb::transport
