#include <memory>

#include "sliced_solver.hpp"
#include "variants.hpp"

namespace bb::transport {
namespace {

/// The phase space of one plane; the window is smaller, but a filled state needs it all.
double estimate_bytes(const Problem& p, const Tables& t) {
  return 2.0 * (p.precision == Precision::kFp64 ? 8 : 4) * static_cast<double>(t.cells()) / t.nz;
}

}  // namespace

Variant depth_variant() {
  return {
      .id = "depth",
      .title = "Depth stepping",
      .changes =
          "The fused pass on the phase space of one plane, advanced plane by plane in z with the path dz / cos(angle): "
          "no z smear, far less work",
      .builds_on = "window",
      .device = "cpu",
      .source = "kernels/transport/depth.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kDepth},
      .bytes_per_cell_step = 8,
      .flops_per_cell_step = 55,
      .speed_rank = 50,
      .estimate_bytes = estimate_bytes,
      .make = [](const Problem& p, const Tables& t, int threads) -> std::unique_ptr<engine::Solver> {
        if (p.precision == Precision::kFp64)
          return std::make_unique<SlicedSolver<double>>(p, t, threads, Extent::kWindow);
        return std::make_unique<SlicedSolver<float>>(p, t, threads, Extent::kWindow);
      },
  };
}

}  // namespace bb::transport
