#include "block_solver.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant naive_variant() {
  return {
      .id = "diffraction-naive-fp32",
      .title = "Naive FP32",
      .changes = "The formula as written, completely in FP32: the phase of a thousand turns keeps few digits",
      .builds_on = "diffraction-fp64",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/naive_fp32.cpp",
      .arithmetic = "fp32",
      .bright_error = 1.0,
      .flops_per_term = 110,
      .speed_rank = 0,
      .make = make_block_solver<Arithmetic::kNaive>,
  };
}

}  // namespace bb::diffraction
