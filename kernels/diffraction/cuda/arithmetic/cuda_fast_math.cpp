#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_fast_math_variant() {
  return {
      .id = "diffraction-cuda-fast-math",
      .title = "Hardware sine",
      .changes =
          "Sine of the special function unit, as with --use_fast_math: its absolute error dominates the result near "
          "a reflection",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_fast_math.cu",
      .arithmetic = "fp32",
      .bright_error = 1.0,
      .flops_per_term = 63,
      .speed_rank = 0,
      .make =
          [](const Setup& s) {
            return make_on_device<CudaFusedImageSolver<double, float>>(s, "diffraction_fast_math");
          },
      .fp64_flops_per_term = 39,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
