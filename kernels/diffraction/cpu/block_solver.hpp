#pragma once

#include <memory>

#include "block_ops.hpp"
#include "diffraction/run/solver.hpp"

namespace bb::diffraction {

/// All of a pixel in one pass, blocks of neighbouring pixels side by side in the registers, rows on all threads.
class BlockSolver final : public BandSolver {
 public:
  BlockSolver(const Setup& setup, Arithmetic arithmetic) : BandSolver(setup), rows_(block_rows(arithmetic)) {}

 private:
  void rows(int first, int last, std::span<double> out) const override { rows_(setup(), first, last, out.data()); }

  RowsFunction rows_;
};

template <Arithmetic kArithmetic>
std::unique_ptr<Solver> make_block_solver(const Setup& setup) {
  return std::make_unique<BlockSolver>(setup, kArithmetic);
}

}  // namespace bb::diffraction
