#include "block_solver.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant delta_variant() {
  return {
      .id = "diffraction-delta-fp32",
      .title = "FP32, reduced phase",
      .changes = "Removes whole turns from the phase before multiplying by pi; the index itself is still FP32",
      .builds_on = "diffraction-naive-fp32",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/delta_fp32.cpp",
      .arithmetic = "fp32",
      .bright_error = 0.5,
      .flops_per_term = 80,
      .speed_rank = 0,
      .make = make_block_solver<Arithmetic::kDelta>,
  };
}

}  // namespace bb::diffraction
