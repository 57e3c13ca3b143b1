#include "cuda_fused_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {

Variant cuda_persistent_variant() {
  return {
      .id = "cuda-persistent",
      .title = "Fused, persistent",
      .changes =
          "One cooperative kernel runs all steps of a batch, with a grid-wide barrier instead of launches; slower than "
          "cuda-fused where one block size must suit all of its phases",
      .builds_on = "cuda-fused",
      .device = "cuda",
      .source = "kernels/transport/cuda/fused/cuda_fused.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 16,
      .flops_per_cell_step = 62,
      .speed_rank = 130,
      .estimate_bytes = estimate_cuda_rows,
      .make = make_cuda_solver<CudaFusedSolver, FusedLoop::kPersistent>,
      .shared_need = fused_shared_need,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
