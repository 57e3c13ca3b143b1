#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {

Variant cuda_chebyshev_variant() {
  return {
      .id = "diffraction-cuda-chebyshev",
      .title = "Chebyshev recurrence",
      .changes =
          "Ratio of sines as the Chebyshev polynomial U(N-1) of the cosine: N - 1 steps of two operations, without a "
          "second sine or a division",
      .builds_on = "diffraction-cuda-fixed-point",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_chebyshev.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 84,
      .speed_rank = 60,
      .make =
          [](const Setup& s) {
            return make_on_device<CudaFusedImageSolver<double, float>>(s, "diffraction_chebyshev");
          },
      .fp64_flops_per_term = 18,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .refuses = chebyshev_refuses,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
