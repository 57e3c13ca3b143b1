#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_fp64_variant() {
  return {
      .id = "diffraction-cuda-fp64",
      .title = "FP64, one kernel",
      .changes = "One kernel with a pixel per thread: no intermediate result is written to memory",
      .builds_on = "diffraction-cuda-unfused",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_fp64.cu",
      .arithmetic = "fp64",
      .bright_error = kReferenceRounding,
      .flops_per_term = 185,
      .speed_rank = 30,
      .make =
          [](const Setup& s) { return make_on_device<CudaFusedImageSolver<double, double>>(s, "diffraction_fp64"); },
      .fp64_flops_per_term = 185,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 58,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
