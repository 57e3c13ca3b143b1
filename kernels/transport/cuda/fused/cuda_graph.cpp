#include "cuda_fused_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {

Variant cuda_graph_variant() {
  return {
      .id = "cuda-graph",
      .title = "Fused, as a CUDA graph",
      .changes = "The step loop is captured once, with sixteen steps per graph, and replayed",
      .builds_on = "cuda-fused",
      .device = "cuda",
      .source = "kernels/transport/cuda/fused/cuda_fused.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 16,
      .flops_per_cell_step = 62,
      .speed_rank = 145,
      .estimate_bytes = estimate_cuda_rows,
      .make = make_cuda_solver<CudaFusedSolver, FusedLoop::kGraph>,
      .shared_need = fused_shared_need,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
