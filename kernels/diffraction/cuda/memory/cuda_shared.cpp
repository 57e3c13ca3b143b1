#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_shared_variant() {
  return {
      .id = "diffraction-cuda-shared",
      .title = "Orientations in shared memory",
      .changes = "Blocks load the table of orientations into shared memory, 64 at a time",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/memory/cuda_shared.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 113,
      .speed_rank = 45,
      .make =
          [](const Setup& s) { return make_on_device<CudaFusedImageSolver<double, float>>(s, "diffraction_shared"); },
      .fp64_flops_per_term = 39,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
