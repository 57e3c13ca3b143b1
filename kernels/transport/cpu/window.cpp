#include <algorithm>
#include <cmath>

#include "sliced_solver.hpp"
#include "transport/run/by_precision.hpp"
#include "transport/variants.hpp"
#include "window_bytes.hpp"

namespace bb::transport {
namespace {

/// Upper bound, because the size of the window is known only during the run. It counts all angles and columns, a few
/// dozen rows of z, and the bins within twelve range-straggling widths plus the range between spots. Protons fill less
/// than a quarter of these cells. Measured windows: 14 MB (bound: 70 MB) for 70 MeV in water, 83 MB (bound: 190 MB)
/// behind bone at 150 MeV.
double estimate_bytes(const Problem& p, const Tables& t) {
  if (p.filled) return estimate_dense(p, t);
  const double range_cm = t.beam_range_mm * 0.1;
  const double straggling_mm = 0.12 * std::pow(range_cm, 0.935);  // range straggling of protons in water
  const double step_mm = p.grid.energy_kind == EnergyGridKind::kRange ? p.grid.energy_step : t.beam_range_mm / t.ne;
  const double bins = std::min<double>(t.ne, (12.0 * straggling_mm + t.spots_span_mm) / step_mm + 4.0);
  const double tilt = std::abs(std::sin(p.beam.angle)) * 2.0 * straggling_mm;
  const double rows = std::min<double>(t.nz, 24.0 + (12.0 * tilt + 0.02 * t.beam_range_mm) / t.dz);
  return 2.0 * value_bytes(p) * 0.25 * bins * rows * t.ntheta * t.nx;
}

}  // namespace

Variant window_variant() {
  return {
      .id = "window",
      .title = "Moving window",
      .changes =
          "The fused pass on the box of (z, angle, x) occupied by the protons of each energy bin; only this window is "
          "stored, and clipped edges are counted as skipped",
      .builds_on = "fused",
      .device = "cpu",
      .source = "kernels/transport/cpu/window.cpp",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 8,
      .flops_per_cell_step = 55,
      .speed_rank = 40,
      .scores_tracks = true,
      .estimate_bytes = estimate_bytes,
      .make = make_by_precision<SlicedSolver, Extent::kWindow>,
      .beam_bytes = window_bytes,
  };
}

}  // namespace bb::transport
