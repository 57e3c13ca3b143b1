#include "cuda_scatter_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

class CudaWarpReducedSolver final : public CudaScatterSolver {
 public:
  using CudaScatterSolver::CudaScatterSolver;

 protected:
  KernelNames names() const override {
    return {"warp_reduced_slow_down", "warp_reduced_angles", "warp_reduced_stream"};
  }
  cuda::LaunchShape shape() const override {
    const auto tiles = [](int cells) { return static_cast<unsigned>((cells + kWarpTile - 1) / kWarpTile); };
    return {
        .grid = {tiles(this->field_cells()), tiles(this->tables().ntheta), static_cast<unsigned>(this->tables().ne)},
        .block = {kWarpTile, kWarpTile, 1}};
  }
};

}  // namespace

Variant cuda_warp_reduced_variant() {
  return {
      .id = "cuda-warp-reduced",
      .title = "Warp-reduced scores",
      .changes = "Dose and crossings summed over 32 angles, losses over a warp, by shuffles: one atomic per warp",
      .builds_on = "cuda-scatter",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_warp_reduced.cu",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 52,
      .flops_per_cell_step = 160,
      .speed_rank = 105,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_float_solver<CudaWarpReducedSolver>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
