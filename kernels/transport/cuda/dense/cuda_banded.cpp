// Host side of `cuda-gather-tensor`: `cuda-gather` with the angles convolved on the tensor cores.
#include "cuda_banded.hpp"
#include "cuda_gather_passes.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

class CudaBandedSolver final : public CudaGatherPasses<float> {
 public:
  using CudaGatherPasses<float>::CudaGatherPasses;

 protected:
  void look_up_kernels() override {
    score_.emplace(score_pass());
    operators_ = operator_passes(tables().ne, kGatherKernels);
    // Replaces the second operator, the angles.
    operators_.at(1) = {kernel("banded_scatter_angles"),
                        {.grid = {blocks(field_cells(), kBandedCells * kBandedWarps),
                                  blocks(tables().ntheta, kBandedAngles), static_cast<unsigned>(tables().ne)},
                         .block = {32 * kBandedWarps, 1, 1}}};
  }

  void launch_operators(int step) override {
    score_->kernel.launch(stream(), score_->shape, context(step));
    for (auto& [kernel, shape] : operators_) {
      kernel.launch(stream(), shape, context(step));
      flip();
    }
  }

 private:
  std::optional<Pass> score_;
  std::vector<Pass> operators_;
};

}  // namespace

Variant cuda_gather_tensor_variant() {
  return {
      .id = "cuda-gather-tensor",
      .title = "Gather on the GPU, angles on tensor cores",
      .changes =
          "The angle operator is a banded matrix times columns of cells: four TF32 products keep the digits of FP32",
      .builds_on = "cuda-gather",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_banded.cu",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},  // with depth stepping the kernel differs by angle
      .bytes_per_cell_step = 36,       // the score pass reads the state; four passes read and write it
      .flops_per_cell_step = 62,
      .speed_rank = 90,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_float_solver<CudaBandedSolver>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
