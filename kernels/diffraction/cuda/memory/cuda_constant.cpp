#include <cmath>
#include <span>

#include "cuda_constant.hpp"
#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {
namespace {

class CudaConstantSolver final : public CudaFusedImageSolver<double, float> {
 public:
  explicit CudaConstantSolver(const Setup& setup) : CudaFusedImageSolver(setup, "diffraction_constant") {}

 private:
  std::unique_lock<std::mutex> exclusive_lock() override {
    // All runs in this process share the constant memory of one module, so only one may use it at a time.
    static std::mutex mutex;
    std::unique_lock lock(mutex);
    const auto [to, bytes] = module().global("diffraction_orientations", kernel_name());
    const auto from = std::as_bytes(std::span(packed().edges));
    if (from.size() > bytes) {  // size in the user kernel, which may declare a smaller array
      throw cuda::Error("invalid", "diffraction_orientations has " + std::to_string(bytes) + " bytes; " +
                                       std::to_string(from.size()) + " are required.");
    }
    stream().check(cuda::driver().MemcpyHtoDAsync(to, from.data(), from.size(), stream().handle()),
                   "cuMemcpyHtoDAsync_v2");
    stream().synchronize();
    return lock;
  }
};

}  // namespace

Variant cuda_constant_variant() {
  return {
      .id = "diffraction-cuda-constant",
      .title = "Orientations in constant memory",
      .changes = "The table of orientations is in constant memory, whose cache broadcasts to a warp",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/memory/cuda_constant.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 113,
      .speed_rank = 48,
      .make = [](const Setup& s) { return make_on_device<CudaConstantSolver>(s); },
      .fp64_flops_per_term = 39,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .refuses =
          [](const Outline& s) {
            if (s.orientation_count() <= device::kConstantOrientations) return std::string();
            return "crystal.mosaic_domains x rotation.steps is " + std::to_string(std::llround(s.orientation_count())) +
                   "; constant memory holds " + std::to_string(device::kConstantOrientations) + " orientations";
          },
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
