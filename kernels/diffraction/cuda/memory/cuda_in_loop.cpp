#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_in_loop_variant() {
  return {
      .id = "diffraction-cuda-in-loop",
      .title = "Rotation in the loop",
      .changes = "Rotates the cell by phi and mosaic block for every sub-pixel and source, instead of reading a table",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/memory/cuda_in_loop.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 158,
      .speed_rank = 0,
      .make =
          [](const Setup& s) { return make_on_device<CudaFusedImageSolver<double, float>>(s, "diffraction_in_loop"); },
      .fp64_flops_per_term = 84,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
