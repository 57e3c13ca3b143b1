#include "cuda_window_beams.hpp"
#include "cuda_window_layout.hpp"
#include "cuda_window_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {

Variant cuda_window_variant() {
  return {
      .id = "cuda-window",
      .title = "Moving window on the GPU",
      .changes =
          "Only the boxes occupied by the protons of each energy are visited; one cooperative kernel runs all steps "
          "and "
          "finds their work itself; clipped edges are counted as skipped",
      .builds_on = "cuda-graph",
      .device = "cuda",
      .source = "kernels/transport/cuda/window/cuda_window.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 16,
      .flops_per_cell_step = 62,
      .speed_rank = 160,
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
