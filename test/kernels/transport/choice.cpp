// Tests the choice of `auto` on a GPU with simulated limits: it selects no variant whose blocks do not fit.
#include <string>
#include <vector>

#include "../problems.hpp"
#include "check.hpp"
#include "transport/cuda/cuda_bins.hpp"
#include "transport/cuda/fused/cuda_fused_solver.hpp"
#include "transport/cuda/window/cuda_window_layout.hpp"
#include "transport/registry.hpp"

namespace bb::test::choice {
namespace {

using namespace transport;

const GpuLimits kHopper{"NVIDIA H100", 80e9, 232448};
const GpuLimits kConsumer{"NVIDIA GeForce RTX 4090", 24e9, 101376};

Problem beam(Stepping stepping, Precision precision = Precision::kFp32) {
  Problem p = water_problem(70.0, {40.0, 48.0, 1.0, 0.5}, 0.2, 0.01);
  p.variant = "auto";
  p.stepping = stepping;
  p.precision = precision;
  return p;
}

/// Problem of the energy-spread gate on a uniform energy grid, with many energies and few angles.
Problem fine_bins(Stepping stepping) {
  Problem p = water_problem(150.0, {4.0, 160.0, 1.0, 0.5}, 0.03, 0.02);
  p.variant = "auto";
  p.stepping = stepping;
  p.grid.energy_kind = EnergyGridKind::kUniform;
  p.grid.energy_step = 150.0 / 8000.0;
  p.grid.energy_min = 0.4;
  return p;
}

std::string chosen(const Problem& p, const GpuLimits& gpu) {
  const TableBuilder builder(p);
  return choose_variant(p, builder.outline(), &gpu).id;
}

}  // namespace

TEST("choice: auto selects the fastest variant that fits the GPU") {
  for (const GpuLimits& gpu : {kHopper, kConsumer}) {
    CHECK_EQ(chosen(beam(Stepping::kPath), gpu), std::string("cuda-window"));
    CHECK_EQ(chosen(beam(Stepping::kDepth), gpu), std::string("cuda-depth"));
  }
}

TEST("choice: more energies than a block can store lead to a variant without that limit") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    const Problem p = fine_bins(stepping);
    const TableBuilder builder(p);
    CHECK(builder.outline().ne > 7900);
    const Variant& taken = choose_variant(p, builder.outline(), &kHopper);
    CHECK_EQ(std::string(taken.device), std::string("cuda"));
    CHECK(std::string(taken.id) != "cuda-window" && std::string(taken.id) != "cuda-depth");
    CHECK(taken.shared_need == nullptr || taken.shared_need(p, builder.outline()).most <= kHopper.shared_bytes);
  }
}

TEST("choice: a variant that does not fit a block is rejected by name, with its need and the limit") {
  Problem p = fine_bins(Stepping::kDepth);
  p.variant = "cuda-depth";
  CHECK_THROWS(chosen(p, kHopper), "solver.variant = cuda-depth: ");
  CHECK_THROWS(chosen(p, kHopper), " angles need at least ");
  CHECK_THROWS(chosen(p, kHopper),
               "KiB of shared memory per block, NVIDIA H100 has 227 KiB; use fewer, or solver.variant = cuda-gather");
}

TEST("choice: a state larger than the GPU memory is solved on the CPU") {
  Problem p = beam(Stepping::kDepth);
  CHECK_EQ(chosen(p, {"NVIDIA H100", 1.0, 232448}), std::string("depth"));
}

TEST("choice: the actual requirements of blocks stay within the estimate used for the choice") {
  std::vector<Problem> problems;
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp64}) {
      problems.push_back(beam(stepping, precision));
      Problem implant = beam(stepping, precision);  // in the densest material, with the finest bins per step
      implant.materials.push_back(material("lead"));
      fill_region(implant, 1, 0.0, 20.0, 5.0, 10.0);
      implant.grid.energy_step = implant.grid.dz / 6.0;
      problems.push_back(implant);
      Problem uniform = beam(stepping, precision);
      uniform.grid.energy_kind = EnergyGridKind::kUniform;
      uniform.grid.energy_step = 0.1;
      uniform.grid.energy_min = 0.4;
      problems.push_back(uniform);
    }
  }
  for (const Problem& p : problems) {
    const Tables t = build_tables(p);
    const SharedNeed window = window_shared_need(p, t), fused = fused_shared_need(p, t);
    const auto check = [&]<typename T>(T) {
      const TypedTables<T> typed(t);
      const BinTables<T> bins(t, typed);
      WindowSizes sizes = window_sizes(p, t);
      sizes.feeds = bins.feeds;
      sizes.most_feeds = bins.most_feeds;
      sizes.most_half = bins.most_half;
      const double smallest = window_layout<T>(sizes, 0).bytes;
      CHECK(window.least <= smallest && smallest <= window.most);
      const auto bytes = static_cast<double>(fused_shared_bytes<T>(t, bins.most_feeds, bins.most_half, kFusedTurned));
      CHECK(fused.least <= bytes && bytes <= fused.most);
    };
    if (p.precision == Precision::kFp32) {
      check(0.0f);
    } else {
      check(0.0);
    }
  }
}

TEST("choice: each of many beams stores as many rows as its angles can reach") {
  const auto rows = [](Stepping stepping, double theta_max, int steps) {
    Problem p = water_problem(80.0, {40.0, 50.0, 0.25, 0.2}, theta_max, 0.02);
    p.stepping = stepping;
    return beam_rows(p, build_tables(p), steps);
  };
  CHECK_EQ(rows(Stepping::kPath, 0.4, 300), 64);   // 300 (1 - cos 0.4) = 24, plus the tails
  CHECK_EQ(rows(Stepping::kPath, 0.6, 300), 128);  // 52
  CHECK_EQ(rows(Stepping::kPath, 1.4, 300), 250);  // all rows of the grid
  CHECK_EQ(rows(Stepping::kDepth, 0.4, 300), 1);
}

}  // namespace bb::test::choice
