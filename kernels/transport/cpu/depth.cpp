#include "sliced_solver.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/variants.hpp"
#include "window_bytes.hpp"

namespace bb::transport {
Variant depth_variant() {
  return {
      .id = "depth",
      .title = "Depth stepping",
      .changes =
          "The fused pass on the phase space of one plane, advanced plane by plane in z with the path dz / cos(angle): "
          "no smearing in z, and far less work",
      .builds_on = "window",
      .device = "cpu",
      .source = "kernels/transport/cpu/depth.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kDepth},
      .bytes_per_cell_step = 8,
      .flops_per_cell_step = 55,
      .speed_rank = 50,
      .scores_tracks = true,
      .estimate_bytes = estimate_dense,  // the window is smaller, but a filled state needs the whole grid
      .make = make_by_precision<SlicedSolver, Extent::kWindow>,
      .beam_bytes = window_bytes,
  };
}

}  // namespace bb::transport
