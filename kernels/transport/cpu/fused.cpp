#include "sliced_solver.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

double estimate_bytes(const Problem& p, const Tables& t) {
  const double row = align_up(t.nx);
  const double rows = p.stepping == Stepping::kDepth ? 1 : t.nz;
  return value_bytes(p) * t.ne * rows * row * (2 * t.ntheta + kDeferredRows);
}

}  // namespace

Variant fused_variant() {
  return {
      .id = "fused",
      .title = "Fused",
      .changes =
          "All operators in one pass per energy bin: a tile of (angle, x) goes from the energy gather to the z remap "
          "inside the cache, in SIMD; rows of zero cells are skipped",
      .builds_on = "gather",
      .device = "cpu",
      .source = "kernels/transport/cpu/fused.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 8,
      .flops_per_cell_step = 55,
      .speed_rank = 30,
      .scores_tracks = true,
      .estimate_bytes = estimate_bytes,
      .make = make_by_precision<SlicedSolver, Extent::kNonZero>,
  };
}

}  // namespace bb::transport
