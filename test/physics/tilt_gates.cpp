// Gates on tilted beams. The expected values along the axis are from the oracle's plane-model Monte Carlo.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "oracle/expected.hpp"

using namespace bb;
using namespace bb::transport;
using test::SolvedProblem;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

/// A pencil beam in water, tilted by `degrees`; `bins` is the number of range bins per step along the axis.
Problem tilted(double energy, double range, double degrees, Stepping stepping, double dz, double dx, int bins) {
  const double angle = degrees * kDegree;
  const double aside = range * std::sin(angle);
  const auto whole = [](double length, double cell) { return std::ceil(length / cell) * cell; };
  Problem p =
      test::water_problem(energy, {whole(aside + 0.35 * range, dx), whole(1.06 * range, dz), dx, dz}, 0.26, 0.02);
  p.stepping = stepping;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  p.grid.cutoff = 0.5;
  p.beam.angle = p.grid.theta_centre = angle;
  p.beam.x = -0.5 * aside;
  p.step = dz / std::cos(angle);
  p.grid.energy_step = p.step / bins;
  return p;
}

struct AxisReadouts {
  double r80, w80_20, mean;
};

AxisReadouts read_along_axis(const Problem& p) {
  const SolvedProblem o(p);
  const test::Curve dose = o.dose_along(p.beam.x, p.beam.z, p.beam.angle);
  return {dose.distal(0.8), dose.w80_20(), test::mean_range(p, o.tables(), o.result(), test::longest_path(p)).value()};
}

}  // namespace

TEST("gate, tilted beam: depth stepping has the Monte Carlo range and falloff along the axis") {
  const struct {
    double degrees;
    int bins;
  } tilts[] = {{10, 1}, {30, 3}, {45, 4}};
  for (const auto& [degrees, bins] : tilts) {
    const Problem p = tilted(150.0, 157.7, degrees, Stepping::kDepth, 0.5, 0.25, bins);
    const AxisReadouts found = read_along_axis(p);
    const std::string of = "tilt-150MeV-" + std::to_string(static_cast<int>(degrees)) + "deg";
    CHECK_NEAR(found.r80, test::oracle::expected(of, "r80_mm").value, 0.05);
    CHECK_REL(found.w80_20, test::oracle::expected(of, "w80_20_mm").value, 0.03);
    CHECK(found.mean < build_tables(p).beam_range_mm);
    CHECK(build_tables(p).extra_straggling_mm < 0.2 * 1.695);  // a fifth of the straggling widens the falloff by 2 %
  }
}

TEST("gate, tilted beam: depth stepping reports the spread that its range bins add, and the falloff shows it") {
  const Problem even = tilted(150.0, 157.7, 30.0, Stepping::kDepth, 0.5, 0.25, 3);
  Problem odd = even;
  odd.grid.energy_step = 0.5;
  const double extra = build_tables(odd).extra_straggling_mm;
  CHECK(extra > 1.5);
  const double wanted = std::hypot(read_along_axis(even).w80_20, 1.312 * extra);
  CHECK_REL(read_along_axis(odd).w80_20, wanted, 0.1);
}

TEST("gate, tilted beam: path stepping has the Monte Carlo mean range for any ratio of step to cell") {
  // The CSDA range is 63.972 mm. In an earlier version, the mean range of a narrow beam was 0.23 cells too long.
  const double wanted = test::oracle::expected("tilt-90MeV-30deg", "mean_range_mm").value;
  for (const double dz : {0.6, 0.3}) {
    Problem p = tilted(90.0, 63.97, 30.0, Stepping::kPath, dz, 0.5, 1);
    for (const double step : {dz / std::cos(30.0 * kDegree), dz}) {
      p.step = p.grid.energy_step = step;
      const AxisReadouts found = read_along_axis(p);
      CHECK_NEAR(found.mean, wanted, 0.05);
      CHECK(found.mean < build_tables(p).beam_range_mm);
    }
    CHECK(build_tables(p).extra_straggling_mm > 0.5 * dz);
  }
}

TEST("long gate, tilted beam: path stepping by complete cells in depth agrees with depth stepping") {
  const AxisReadouts path = read_along_axis(tilted(90.0, 63.97, 30.0, Stepping::kPath, 0.2, 0.25, 1));
  const AxisReadouts depth = read_along_axis(tilted(90.0, 63.97, 30.0, Stepping::kDepth, 0.2, 0.25, 3));
  CHECK_NEAR(path.r80, depth.r80, 0.05);
  CHECK_NEAR(path.mean, depth.mean, 0.05);
  CHECK_REL(path.w80_20, depth.w80_20, 0.03);
}

TEST("gate, PMMA at 140 MeV in steps of 0.5 mm: with four range bins per 0.5 mm the falloff is that of Monte Carlo") {
  Problem p = test::water_problem(140.0, {60.0, 130.0, 2.0, 0.5}, 0.4, 0.02);
  p.materials.push_back(test::material("pmma"));
  std::fill(p.map.begin(), p.map.end(), std::uint8_t{1});
  p.stepping = Stepping::kDepth;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  p.grid.energy_step = 0.5;
  CHECK(build_tables(p).extra_straggling_mm > 1.0);
  p.grid.energy_step = 0.5 / 4.0;
  CHECK(build_tables(p).extra_straggling_mm < 0.35);
  CHECK_NEAR(SolvedProblem(p).depth_dose().w80_20(), 1.71, 0.05);
}

TEST("gate, cutoff: at 0.5 MeV and below the peak is within 0.5 % and R80 within 0.01 mm of the limit of cutoff 0") {
  for (const double energy : {30.0, 65.0}) {
    const double dz = energy < 50 ? 0.02 : 0.1;
    Problem p = test::water_problem(energy, {20.0, energy < 50 ? 10.0 : 38.0, 2.0, dz}, 0.4, 0.04);
    p.stepping = Stepping::kDepth;
    p.grid.cutoff = 0.1;
    const test::Curve least = SolvedProblem(p).depth_dose();
    p.grid.cutoff = energy < 50 ? 0.3 : 0.5;
    const test::Curve taken = SolvedProblem(p).depth_dose();
    CHECK_NEAR(taken.distal(0.8), least.distal(0.8), 0.01);
    CHECK_REL(taken.peak() / taken.value[0], least.peak() / least.value[0], 0.005);
  }
}
