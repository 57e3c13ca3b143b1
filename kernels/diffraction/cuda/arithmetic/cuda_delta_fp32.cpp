#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_delta_variant() {
  return {
      .id = "diffraction-cuda-delta-fp32",
      .title = "Phase-reduced FP32",
      .changes =
          "Whole turns are removed from the indices before the product with pi; positions and indices are still FP32",
      .builds_on = "diffraction-cuda-naive-fp32",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_delta_fp32.cu",
      .arithmetic = "fp32",
      .bright_error = 0.5,
      .flops_per_term = 104,
      .speed_rank = 0,
      .make =
          [](const Setup& s) {
            return make_on_device<CudaFusedImageSolver<float, float>>(s, "diffraction_delta_fp32");
          },
      .fp64_flops_per_term = 0,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 0,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
