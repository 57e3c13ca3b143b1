#include <memory>

#include "sliced_solver.hpp"
#include "variants.hpp"

namespace bb::transport {
namespace {

/// The size of the window shows only in the run. A beam fills a fraction of a percent of phase space at
/// a time (measured: 0.13 % at 70 MeV straight ahead, 0.36 % at 45 degrees), a filled state all of it.
double estimate_bytes(const Problem& p, const Tables& t) {
  constexpr double kBeamShare = 0.01;
  return 2.0 * (p.precision == Precision::kFp64 ? 8 : 4) * (p.filled ? 1.0 : kBeamShare) *
         static_cast<double>(t.cells());
}

}  // namespace

Variant window_variant() {
  return {
      .id = "window",
      .title = "Moving window",
      .changes =
          "The fused pass on the box of (z, angle, x) that the protons of each energy bin fill; only the window is "
          "stored, cut edges are counted as skipped",
      .builds_on = "fused",
      .device = "cpu",
      .source = "kernels/transport/window.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 8,
      .flops_per_cell_step = 55,
      .speed_rank = 40,
      .estimate_bytes = estimate_bytes,
      .make = [](const Problem& p, const Tables& t, int threads) -> std::unique_ptr<engine::Solver> {
        if (p.precision == Precision::kFp64)
          return std::make_unique<SlicedSolver<double>>(p, t, threads, Extent::kWindow);
        return std::make_unique<SlicedSolver<float>>(p, t, threads, Extent::kWindow);
      },
  };
}

}  // namespace bb::transport
