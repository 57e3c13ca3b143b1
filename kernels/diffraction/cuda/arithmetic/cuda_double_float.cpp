#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_double_float_variant() {
  return {
      .id = "diffraction-cuda-double-float",
      .title = "Double-float indices",
      .changes = "Positions and indices as pairs of FP32 numbers, for GPUs with little FP64",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_double_float.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 368,
      .speed_rank = 20,
      .make =
          [](const Setup& s) {
            return make_on_device<CudaFusedImageSolver<device::DoubleFloat, float>>(s, "diffraction_double_float");
          },
      .fp64_flops_per_term = 0,
      .flops_per_beam = 260,
      .fp64_flops_per_beam = 5,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
