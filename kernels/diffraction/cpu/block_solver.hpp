#pragma once

#include <memory>

#include "block_ops.hpp"
#include "diffraction/run/solver.hpp"

namespace bb::diffraction {

/// Computes each pixel in one pass. Blocks of neighbouring pixels are in vector registers, and rows are distributed
/// over all threads.
class BlockSolver final : public BandSolver {
 public:
  BlockSolver(const Setup& setup, Arithmetic arithmetic) : BandSolver(setup), row_(block_row(arithmetic)) {}

 private:
  bool pixels(RowPart part, std::span<double> out, const std::atomic<bool>& cancel) const override {
    return row_(setup(), part, cancel, out.data());
  }

  RowFunction row_;
};

template <Arithmetic kArithmetic>
std::unique_ptr<Solver> make_block_solver(const Setup& setup) {
  return std::make_unique<BlockSolver>(setup, kArithmetic);
}

}  // namespace bb::diffraction
