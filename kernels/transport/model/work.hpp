#pragma once

#include "problem.hpp"
#include "tables.hpp"

namespace bb::transport {

/// Additions and multiplications that the operators of one step need per cell, on average over energies, angles and
/// the cells of the map: what a problem's tables ask for, whatever a variant computes twice. A clamp counts as two.
double flops_per_cell_step(const Tables& tables);

}  // namespace bb::transport
