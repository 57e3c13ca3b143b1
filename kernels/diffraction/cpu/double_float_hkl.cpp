#include "block_solver.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant double_float_variant() {
  return {
      .id = "diffraction-double-float",
      .title = "Double-float indices",
      .changes = "Positions and indices as sums of two FP32 numbers, for processors with few FP64 units",
      .builds_on = "diffraction-delta-fp32",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/double_float_hkl.cpp",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 330,
      .speed_rank = 0,
      .make = make_block_solver<Arithmetic::kDoubleFloat>,
  };
}

}  // namespace bb::diffraction
