#include "cuda_fused_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {

Variant cuda_fused_variant() {
  return {
      .id = "cuda-fused",
      .title = "Fused on the GPU",
      .changes =
          "FP32 grids of one material with steps below one cell in x: a single pass that reads and writes each cell "
          "once, "
          "with warps that copy, collide, score and stream. Other grids: one pass for energy, angle and scores, "
          "another for "
          "both streaming directions",
      .builds_on = "cuda-tiled",
      .device = "cuda",
      .source = "kernels/transport/cuda/fused/cuda_fused.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 16,
      .flops_per_cell_step = 62,
      .speed_rank = 140,
      .estimate_bytes = estimate_cuda_rows,
      .make = make_cuda_solver<CudaFusedSolver, FusedLoop::kLaunches>,
      .shared_need = fused_shared_need,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
