#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_naive_variant() {
  return {
      .id = "diffraction-cuda-naive-fp32",
      .title = "Naive FP32",
      .changes = "The formula as written, completely in FP32: the phase of a thousand turns keeps few digits",
      .builds_on = "diffraction-cuda-fp64",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_naive_fp32.cu",
      .arithmetic = "fp32",
      .bright_error = 1.0,
      .flops_per_term = 200,
      .speed_rank = 0,
      .make =
          [](const Setup& s) {
            return make_on_device<CudaFusedImageSolver<float, float>>(s, "diffraction_naive_fp32");
          },
      .fp64_flops_per_term = 0,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 0,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
