// Gates of test/physics/gold.md on the grids of the shipped scenarios. Halving each spacing alone has no effect, both
// steppings agree, ψ stays positive, and the ledger balances.
#include <algorithm>
#include <cmath>
#include <string>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"

using namespace bb;
using namespace bb::transport;
using test::SolvedProblem;

namespace {

constexpr double kRange = 40.8;  // mm

/// assets/scenarios/water-70MeV.json in a narrower box: the beam stays away from the sides.
Problem water_70() {
  Problem p = test::water_problem(70.0, {16, 46, 0.25, 0.2}, 0.4, 0.005);
  p.precision = Precision::kFp32;
  p.variant = "auto";
  return p;
}

void check_same(const SolvedProblem& before, const Problem& changed, const char* what) {
  const SolvedProblem after(changed);
  const double moved = after.depth_dose().distal(0.8) - before.depth_dose().distal(0.8);
  if (!(std::abs(moved) < 0.1))
    test::fail(__FILE__, __LINE__, std::string(what) + ": R80 moves by " + test::show(moved));
  for (const double share : {0.5, 0.9}) {
    const double change = after.sigma_x(share * kRange) / before.sigma_x(share * kRange) - 1.0;
    if (!(std::abs(change) < 0.01)) {
      test::fail(__FILE__, __LINE__, std::string(what) + ": sigma_x moves by " + test::show(100.0 * change) + " %");
    }
  }
}

}  // namespace

TEST("long gate, halving the angle step, the range step or dx alone: R80 moves by < 0.1 mm, sigma_x by < 1 %") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    Problem coarse = water_70();
    coarse.stepping = stepping;
    const SolvedProblem before(coarse);
    Problem fine = coarse;
    fine.grid.dtheta *= 0.5;
    fine.grid.ntheta = 2 * fine.grid.ntheta - 1;
    check_same(before, fine, "dtheta");
    fine = coarse;
    fine.grid.energy_step *= 0.5;
    check_same(before, fine, "de");
    fine = coarse;
    fine.grid.dx *= 0.5;
    fine.grid.nx *= 2;
    fine.map.assign(static_cast<std::size_t>(fine.grid.nx) * static_cast<std::size_t>(fine.grid.nz), 0);
    check_same(before, fine, "dx");
  }
}

TEST("long gate, halving the step alone: R80 moves by < 0.1 mm, sigma_x by < 1 %") {
  // With half steps, range bins are split. The beam then widens along z (see the next test) and the problem grows. A
  // coarser angle grid limits the time to seconds.
  Problem coarse = water_70();
  coarse.grid.dtheta *= 2.0;
  coarse.grid.ntheta = (coarse.grid.ntheta + 1) / 2;
  Problem fine = coarse;
  fine.step *= 0.5;
  check_same(SolvedProblem(coarse), fine, "step");
  // Depth stepping uses dz as its step.
  Problem depth = water_70();
  depth.stepping = Stepping::kDepth;
  Problem halved = depth;
  halved.grid.dz *= 0.5;
  halved.grid.nz *= 2;
  halved.step = halved.grid.dz;
  halved.map.assign(static_cast<std::size_t>(halved.grid.nx) * static_cast<std::size_t>(halved.grid.nz), 0);
  check_same(SolvedProblem(depth), halved, "dz");
}

TEST("range bins that do not divide the step widen the falloff by the reported extra straggling") {
  Problem p = water_70();
  p.stepping = Stepping::kDepth;
  // Straight ahead, the path through a plane is one bin, so no bin is split. At the beam's angles the path is slightly
  // longer.
  Problem straight = p;
  straight.scattering = Scattering::kOff;
  CHECK(TableBuilder(straight).outline().extra_straggling_mm < 1e-3);
  const SolvedProblem even(p);
  CHECK(1.312 * even.tables().extra_straggling_mm < 0.05 * even.depth_dose().w80_20());
  p.grid.energy_step = 0.28;
  const SolvedProblem odd(p);
  const double extra = 1.312 * odd.tables().extra_straggling_mm;
  CHECK(extra > 0.5);
  CHECK_REL(odd.depth_dose().w80_20(), std::hypot(even.depth_dose().w80_20(), extra), 0.1);
}

TEST("gate, path stepping against depth stepping: R80 <= 0.1 mm, W80-20 <= 2 %, sigma_x <= 1 %") {
  for (const double energy : {70.0, 150.0}) {
    Problem p = water_70();
    if (energy > 100) {
      p = test::water_problem(energy, {30, 172, 0.5, 0.5}, 0.4, 0.005);
      p.precision = Precision::kFp32;
      p.variant = "auto";
    }
    const SolvedProblem path(p);
    p.stepping = Stepping::kDepth;
    const SolvedProblem depth(p);
    const test::Curve a = path.depth_dose(), b = depth.depth_dose();
    CHECK_NEAR(a.distal(0.8), b.distal(0.8), 0.1);
    CHECK_REL(a.w80_20(), b.w80_20(), 0.02);
    for (const double share : {0.25, 0.5, 0.75, 0.9}) {
      const double at = share * path.tables().beam_range_mm;
      CHECK_REL(path.sigma_x(at), depth.sigma_x(at), 0.01);
    }
  }
}

TEST("gate, ledger: number and energy balance at every step, to 1e-6 in FP32 and 1e-12 in FP64") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    for (const Precision precision : {Precision::kFp32, Precision::kFp64}) {
      Problem p = water_70();
      p.stepping = stepping;
      p.precision = precision;
      p.nuclear = Nuclear::kAttenuation;
      const double limit = precision == Precision::kFp32 ? 1e-6 : 1e-12;
      const SolvedProblem o(p);
      double number = 0.0, energy = 0.0;
      for (const auto& row : o.result().number) number = std::max(number, row.rel_error);
      for (const auto& row : o.result().energy) energy = std::max(energy, row.rel_error);
      CHECK(number <= limit);
      CHECK(energy <= limit);
      CHECK(o.result().number.back().skipped <= 1e-6);
    }
  }
}

TEST("long gate, ledger: FP32 balances over 800 steps with angle kernels of a hundred bins") {
  Problem p = test::water_problem(70.0, {8, 42, 1.0, 0.05}, 0.125, 0.00125);
  p.stepping = Stepping::kDepth;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  const SolvedProblem o(p);
  CHECK(o.result().steps > 800);
  CHECK(transport::build_tables(p).angle_half_max > 50);  // made on the host: a GPU keeps its tables
  CHECK(o.result().number.back().rel_error <= 1e-6);
  CHECK(o.result().energy.back().rel_error <= 1e-6);
}

TEST("gate, positivity: psi never falls below -1e-4 of its maximum, and here never below zero") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    for (const bool uniform : {false, true}) {
      Problem p = test::water_problem(50.0, {16, 26, 0.25, 0.2}, 0.4, 0.01);
      p.precision = Precision::kFp32;
      p.variant = "auto";
      p.stepping = stepping;
      p.materials = {test::material("water"), test::material("bone-compact-icru")};
      test::fill_region(p, 1, 0.0, 8.0, 10.0, 20.0);
      if (uniform) {
        p.grid.energy_kind = EnergyGridKind::kUniform;
        p.grid.energy_step = 0.3;
        p.grid.energy_min = 1.0;
      }
      CHECK(SolvedProblem(p).result().min_over_max >= 0.0);
    }
  }
}
