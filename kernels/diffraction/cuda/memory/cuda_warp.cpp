#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {
namespace {

class CudaWarpSolver final : public CudaFusedImageSolver<double, float> {
 public:
  explicit CudaWarpSolver(const Setup& setup) : CudaFusedImageSolver(setup, "diffraction_warp") {}

 private:
  bool queue(cuda::Stream& stream, int first, int rows, const Work*) override {
    // Pixels of a row; cuda_warp.cu uses the same mapping.
    const unsigned wide = static_cast<unsigned>(setup().width);
    launch(stream, {(wide + this->block_height() - 1) / this->block_height(), static_cast<unsigned>(rows), 1}, first,
           rows);
    return true;
  }
};

}  // namespace

Variant cuda_warp_variant() {
  return {
      .id = "diffraction-cuda-warp",
      .title = "Warp per pixel",
      .changes = "The lanes of a warp share the terms of one pixel and sum them by shuffles",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/memory/cuda_warp.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 113,
      .speed_rank = 40,
      .make = [](const Setup& s) { return make_on_device<CudaWarpSolver>(s); },
      .fp64_flops_per_term = 39,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
