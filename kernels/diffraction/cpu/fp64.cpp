#include "block_solver.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant fp64_variant() {
  return {
      .id = "diffraction-fp64",
      .title = "FP64 on all cores",
      .changes =
          "Blocks of pixels in the vector registers of all cores, whole turns removed from the phase, sines as series",
      .builds_on = "diffraction-reference",
      .device = "cpu",
      .source = "kernels/diffraction/cpu/fp64.cpp",
      .arithmetic = "fp64",
      .bright_error = kReferenceRounding,
      .flops_per_term = 90,
      .speed_rank = 20,
      .make = make_block_solver<Arithmetic::kFp64>,
  };
}

}  // namespace bb::diffraction
