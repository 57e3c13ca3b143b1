#include "block_solver.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant mixed_variant() {
  return {
      .id = "diffraction-mixed",
      .title = "FP64 indices, FP32 trigonometry",
      .changes = "Positions, indices and their multiples in FP64, the remaining fraction of a turn in FP32",
      .builds_on = "diffraction-delta-fp32",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/mixed.cpp",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 80,
      .speed_rank = 0,
      .make = make_block_solver<Arithmetic::kMixed>,
  };
}

}  // namespace bb::diffraction
