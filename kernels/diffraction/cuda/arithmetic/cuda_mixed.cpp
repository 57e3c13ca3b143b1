#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_mixed_variant() {
  return {
      .id = "diffraction-cuda-mixed",
      .title = "FP64 indices, FP32 trigonometry",
      .changes =
          "Positions, indices and their multiples in FP64, the remaining fraction of a turn in FP32; one division for "
          "three axes",
      .builds_on = "diffraction-cuda-delta-fp32",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_mixed.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 113,
      .speed_rank = 50,
      .make =
          [](const Setup& s) { return make_on_device<CudaFusedImageSolver<double, float>>(s, "diffraction_mixed"); },
      .fp64_flops_per_term = 39,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
