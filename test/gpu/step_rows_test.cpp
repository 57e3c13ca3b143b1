// Compares operator tables computed on a device with those of the host.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "cpu/thread_pool.hpp"
#include "gpu.hpp"
#include "transport/cuda/cuda_solver.hpp"
#include "transport/cuda/window/cuda_window_tables.hpp"

namespace bb::test::operator_rows {
namespace {

using transport::BinTables;
using transport::CudaStepRows;
using transport::Nuclear;
using transport::Problem;
using transport::Scattering;
using transport::Stepping;

Problem in_bone(Stepping stepping, Scattering scattering, Nuclear nuclear) {
  Problem p = water_problem(40.0, {8.0, 16.0, 0.5, 0.25}, 0.3, 0.02);
  p.materials.push_back(material("bone-compact-icru"));
  p.materials.push_back(material("air", 1.0));
  fill_region(p, 1, -4.0, 4.0, 2.0, 6.0);
  fill_region(p, 2, 0.0, 4.0, 6.0, 8.0);
  p.precision = transport::Precision::kFp32;
  p.stepping = stepping;
  p.scattering = scattering;
  p.nuclear = nuclear;
  p.beam.angle_sigma = 0.01;
  p.variant = "cuda-window";
  return p;
}

/// Weights are multiples of 2^-24. Device functions differ in the last bits, which changes a few weights by one unit.
void compare_weights(const char* name, const std::vector<float>& got, const std::vector<float>& wanted) {
  // Two units in the last place, because the largest weight receives the rounding errors of the others.
  constexpr float kOne = 0x1p-23f;
  CHECK_EQ(got.size(), wanted.size());
  std::size_t differing = 0;
  float most = 0.0f;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != wanted[i]) ++differing;
    most = std::max(most, std::abs(got[i] - wanted[i]));
  }
  if (!(most <= kOne) || differing > got.size() / 1000 + 2) {
    fail(__FILE__, __LINE__,
         std::string(name) + ": " + std::to_string(differing) + " of " + std::to_string(got.size()) + " differ, by " +
             show(static_cast<double>(most)));
  }
}

void compare(const Problem& p) {
  CHECK(transport::device_can_compute_rows(p));
  const transport::TableBuilder builder(p);
  const transport::Tables here = builder.build(cpu::on_all_cores);
  const transport::Tables left = builder.build(cpu::on_all_cores, nullptr, true);
  CHECK(left.operators != nullptr && left.deposit.empty());
  CHECK_NEAR(left.end_excess_mm, here.end_excess_mm, 1e-12);
  const transport::TypedTables<float> typed(here), typed_left(left);
  const BinTables<float> wanted(here, typed);

  const auto device = gpu();
  const auto loaded = cuda::load_kernels(device, "transport", built_kernels());
  cuda::Stream stream(device);
  const transport::CudaTables<float> on_device(p, left, typed_left, transport::TableSet::kLosses, stream);
  CudaStepRows rows(left, [&](const char* name) { return cuda::Kernel(loaded.module, name); }, stream);
  const transport::WindowKernels kernels{.static_shared = 1024, .turned = transport::kWindowTurned};
  const transport::CudaWindowTables<float> window(p, left, typed_left, on_device.view(), kernels, stream,
                                                  std::move(rows));
  const CudaStepRows::StepRowTables made = window.rows()->read(stream);

  CHECK_EQ(window.parameters().tables.reach_down, here.reach_down);
  CHECK_EQ(window.parameters().tables.reach_up, here.reach_up);
  CHECK_EQ(made.tables.bins.size(), wanted.bins.size());
  for (std::size_t e = 0; e < wanted.bins.size(); ++e) {
    const auto &a = made.tables.bins[e], &b = wanted.bins[e];
    CHECK_EQ(a.feed_low, b.feed_low);
    CHECK_EQ(a.feed_count, b.feed_count);
    CHECK_EQ(a.half, b.half);
    CHECK_EQ(a.ends, b.ends);
  }
  CHECK(made.tables.feed_bin == wanted.feed_bin);
  compare_weights("feeds", made.tables.feed_weight, wanted.feed_weight);
  compare_weights("angle kernels", made.tables.kernel_weight, wanted.kernel_weight);
  compare_weights("stopped", made.stopped, typed.stopped);
  compare_weights("nuclear", made.nuclear, typed.nuclear);
  double deposit = 0.0, escape = 0.0, lost = 0.0;
  for (std::size_t row = 0; row < typed.deposit.size(); ++row) {
    deposit = std::max(deposit, static_cast<double>(std::abs(made.deposit[row] - typed.deposit[row])));
    escape = std::max(escape, static_cast<double>(std::abs(made.nuclear_escape[row] - typed.nuclear_escape[row])));
  }
  for (std::size_t i = 0; i < wanted.lost.size(); ++i) {
    lost = std::max(lost, static_cast<double>(std::abs(made.tables.lost[i] - wanted.lost[i])));
  }
  CHECK(deposit <= 2.0 * 0x1p-23 * p.beam.energy);
  CHECK(escape <= 2.0 * 0x1p-23 * p.beam.energy);
  CHECK(lost <= 1e-5 * 0.1);
}

void compare_scatterings(Stepping stepping) {
  for (const Scattering scattering : {Scattering::kGottschalk, Scattering::kHighland, Scattering::kFermiRossi}) {
    compare(in_bone(stepping, scattering, Nuclear::kOff));
  }
  compare(in_bone(stepping, Scattering::kGottschalk, Nuclear::kAttenuation));
}

}  // namespace

TEST("GPU: operator rows computed on the device equal those of the host, path stepping") {
  compare_scatterings(Stepping::kPath);
}

TEST("GPU: operator rows computed on the device equal those of the host, depth stepping") {
  compare_scatterings(Stepping::kDepth);
}

}  // namespace bb::test::operator_rows
