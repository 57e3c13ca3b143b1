#include "cuda_window_beams.hpp"
#include "cuda_window_layout.hpp"
#include "cuda_window_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {

Variant cuda_depth_variant() {
  return {
      .id = "cuda-depth",
      .title = "Depth stepping on the GPU",
      .changes =
          "The moving window on the phase space of one plane, advanced plane by plane in z: one pass and one barrier "
          "per plane",
      .builds_on = "cuda-window",
      .device = "cuda",
      .source = "kernels/transport/cuda/window/cuda_window_collide.cuh",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kDepth},
      .bytes_per_cell_step = 16,
      .flops_per_cell_step = 58,
      .speed_rank = 170,
      .makes_rows = true,
      .scores_tracks = true,
      .estimate_bytes = estimate_cuda_rows,
      .make = make_cuda_solver<CudaWindowSolver>,
      .shared_need = window_shared_need,
      .unavailable = cuda_unavailable,
      .make_beams = make_cuda_window_beams,
  };
}

}  // namespace bb::transport
