#include "cuda_fused_solver.hpp"
#include "variants.hpp"

namespace bb::transport {

Variant cuda_window_variant() {
  return {
      .id = "cuda-window",
      .title = "Moving window on the GPU",
      .changes =
          "Slices are the boxes that the protons fill; the device finds them, "
          "lists the work of the next step and "
          "needs no host between steps; cut edges are counted as skipped",
      .builds_on = "cuda-graph",
      .device = "cuda",
      .source = "kernels/transport/cuda_fused.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 16,
      .flops_per_cell_step = 62,
      .speed_rank = 160,
      .estimate_bytes = estimate_cuda_fused,
      .make = [](const Problem& p, const Tables& t,
                 int /*threads*/) { return make_cuda_fused(p, t, {.loop = FusedLoop::kGraph, .window = true}); },
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
