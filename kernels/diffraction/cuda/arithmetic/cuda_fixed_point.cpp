#include <algorithm>
#include <string>

#include "diffraction/cuda/cuda_fused.hpp"
#include "diffraction/variants.hpp"

namespace bb::diffraction {
namespace {

/// The phase of N cells is accurate to N · 2^-32 turns, and the tolerance of the parity tests requires 1e-6 turns.
constexpr int kMaxCells = 1000;

}  // namespace

Variant cuda_fixed_point_variant() {
  return {
      .id = "diffraction-cuda-fixed-point",
      .title = "Fixed-point phases",
      .changes =
          "Phases as 32-bit fractions of a turn: whole turns vanish by overflow, without FP64 and without rounding",
      .builds_on = "diffraction-cuda-mixed",
      .device = "cuda",
      .source = "kernels/diffraction/cuda/arithmetic/cuda_fixed_point.cu",
      .arithmetic = "fp32",
      .bright_error = 2e-5,
      .flops_per_term = 92,
      .speed_rank = 55,
      .make =
          [](const Setup& s) {
            return make_on_device<CudaFusedImageSolver<double, float>>(s, "diffraction_fixed_point");
          },
      .fp64_flops_per_term = 18,
      .flops_per_beam = 58,
      .fp64_flops_per_beam = 45,
      .refuses =
          [](const Outline& s) {
            const double most = std::max({s.na, s.nb, s.nc});
            if (most <= kMaxCells) return std::string();
            return "crystal.cells has " + std::to_string(static_cast<long long>(most)) +
                   " along an edge; 32-bit phases are precise enough for at most " + std::to_string(kMaxCells);
          },
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::diffraction
