// Gates on range and falloff with the values of test/physics/gold.md: monoenergetic pencil beams in water (PSTAR,
// Gottschalk, Bohr, no nuclear reactions).
#include <cmath>
#include <string>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "physics/stopping.hpp"

using namespace bb;
using namespace bb::transport;
using test::SolvedProblem;

namespace {

struct Row {
  double energy, range, w80_20;  // MeV, mm
};

// Values of test/physics/gold.md.
constexpr Row kWater[] = {
    {70, 40.80, 0.616}, {100, 77.18, 1.130}, {150, 157.7, 2.224}, {200, 259.6, 3.557}, {250, 379.4, 5.080}};

/// A grid like that of the default scenario: dz <= W/3, wide enough for the whole beam.
Problem pencil(const Row& row, Stepping stepping) {
  const auto [energy, range, w80_20] = row;
  const double dz = w80_20 / 3.0 > 1.0 ? 1.0 : w80_20 / 3.0 > 0.5 ? 0.5 : w80_20 / 3.0 > 0.25 ? 0.25 : 0.2;
  const double width = std::ceil(0.17 * range + 6.0);
  Problem p = test::water_problem(energy, {width, std::ceil(1.06 * range) + 2.0, 0.5, dz}, 0.4, 0.005);
  p.stepping = stepping;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  return p;
}

/// A beam straight ahead and without spread, so that only slowing down remains.
Problem straight(double energy, double range, double dz) {
  Problem p = test::water_problem(energy, {11.0, 1.2 * range, 1.0, dz}, 0.01, 0.01);
  p.scattering = Scattering::kOff;
  p.straggling = Straggling::kOff;
  p.grid.cutoff = 0.5;  // 9 µm of range; the default cutoff of 76 µm would be 0.2 % of 40 mm
  p.variant = "auto";
  return p;
}

/// Mean depth at which protons stop: the integral of their fluence over depth, minus half of the last step, which is
/// scored in full.
double mean_range(const SolvedProblem& o, const Problem& p) {
  double sum = 0.0;
  for (int z = 0; z < o.tables().nz; ++z) {
    sum += o.result().crossing[static_cast<std::size_t>(z) * engine::Crossing::kCount];
  }
  return (sum - 0.5) * p.grid.dz;
}

void check_falloff(const SolvedProblem& o, const Row& row) {
  const test::Curve dose = o.depth_dose();
  CHECK_NEAR(dose.distal(0.8), row.range, std::max(0.3, 0.002 * row.range));
  CHECK_REL(dose.w80_20(), row.w80_20, 0.05);
  CHECK(o.result().min_over_max >= -1e-4);
  CHECK(o.result().number.back().rel_error <= 1e-6);
  CHECK(o.result().energy.back().rel_error <= 1e-6);
}

}  // namespace

TEST("gate, CSDA range: within 0.1 % of section 4 with straggling off, range grid") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    for (const Row& row : kWater) {
      Problem p = straight(row.energy, row.range, row.range / 2000.0);
      p.stepping = stepping;
      CHECK_REL(mean_range(SolvedProblem(p), p), row.range, 0.001);
    }
  }
}

TEST("gate, CSDA range: within 0.1 % of section 4 with straggling off, uniform energy grid") {
  for (const Row& row : kWater) {
    Problem p = straight(row.energy, row.range, 0.25);
    p.grid.energy_kind = EnergyGridKind::kUniform;
    p.grid.energy_step = 0.2;
    p.grid.energy_min = 0.4;
    CHECK_REL(mean_range(SolvedProblem(p), p), row.range, 0.001);
  }
}

TEST("long gate, R80 within 0.3 mm or 0.2 %, W80-20 within 5 % of section 4: path stepping") {
  // Leaves out 250 MeV, which needs ten times as long with path stepping as all other energies; the gate of depth
  // stepping includes it.
  for (const Row& row : kWater) {
    if (row.energy < 250) check_falloff(SolvedProblem(pencil(row, Stepping::kPath)), row);
  }
}

TEST("gate, depth stepping: the same limits; R80 is R0 within 0.1 mm or 0.05 %, W80-20 is 1.312 sigma_R within 5 %") {
  const double sigma_range[] = {0.469, 0.860, 1.695, 2.712, 3.873};
  for (int i = 0; i < 5; ++i) {
    const SolvedProblem o(pencil(kWater[i], Stepping::kDepth));
    check_falloff(o, kWater[i]);
    CHECK_NEAR(o.depth_dose().distal(0.8), o.tables().beam_range_mm, std::max(0.1, 0.0005 * kWater[i].range));
    CHECK_REL(o.depth_dose().w80_20(), 1.312 * sigma_range[i], 0.05);
  }
}

// R80 and W80-20 in the continuous limit, by an independent calculation (Fokker-Planck in residual range on steps of
// sigma/40, PSTAR, Bohr). R80 - R0 is a multiple of sigma along the path, minus the detour. The detour is half of the
// variance of the angle, integrated over depth (Gottschalk).
struct ContinuousLimit {
  double energy, range, r80_less_r0, w80_20;  // MeV, mm
};
constexpr ContinuousLimit kContinuous[] = {{70, 40.80, -0.026, 0.623},  {150, 157.7, -0.073, 2.246},
                                           {200, 259.6, -0.110, 3.591}, {230, 329.5, -0.136, 4.492},
                                           {250, 379.4, -0.152, 5.126}, {300, 514.5, -0.197, 6.817}};

TEST(
    "long gate, R80 within 0.05 mm and W80-20 within 5 % of the continuous solution to 300 MeV, both steppings, to "
    "0.02 "
    "mm") {
  for (const ContinuousLimit& row : kContinuous) {
    double r80[2];
    for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
      // Angles and x are as coarse as possible without an effect on the depth dose.
      const double dz = row.w80_20 / 3.0 > 1.0 ? 1.0 : row.w80_20 / 3.0 > 0.5 ? 0.5 : 0.2;
      Problem p = test::water_problem(row.energy, {60.0, std::ceil(1.06 * row.range), 4.0, dz}, 0.4, 0.02);
      p.stepping = stepping;
      p.precision = Precision::kFp32;
      p.variant = "auto";
      const SolvedProblem o(p);
      const test::Curve dose = o.depth_dose();
      double& now = r80[stepping == Stepping::kDepth];
      now = dose.distal(0.8);
      CHECK_NEAR(now - o.tables().beam_range_mm, row.r80_less_r0, 0.05);
      CHECK_REL(dose.w80_20(), row.w80_20, 0.05);
    }
    CHECK_NEAR(r80[0], r80[1], 0.02);
  }
}

TEST("gate, R80 and the peak do not depend on bin positions: ranges that differ by fractions of a bin") {
  // 70 MeV with bins of 0.2 mm, less than half the straggling. With the energies at the centres of the last bins, R80
  // would vary by 0.05 mm and the peak by 6 %.
  double lowest[2] = {1e9, 1e9}, highest[2] = {};
  for (const double more : {0.0, 0.05, 0.1, 0.15}) {
    Problem p = test::water_problem(70.0, {20.0, 44.0, 2.0, 0.2}, 0.4, 0.04);
    const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
    p.beam.energy = water.energy_at(4.06 + 0.1 * more);
    p.stepping = Stepping::kDepth;
    const test::Curve dose = SolvedProblem(p).depth_dose();
    const double read[] = {dose.distal(0.8) - more, dose.peak()};
    for (int i = 0; i < 2; ++i) {
      lowest[i] = std::min(lowest[i], read[i]);
      highest[i] = std::max(highest[i], read[i]);
    }
  }
  CHECK(highest[0] - lowest[0] < 0.006);
  CHECK(highest[1] / lowest[1] < 1.008);
}

TEST("gate, ICRU 90: R80 agrees with the range in section 4, half a per cent beyond PSTAR's") {
  const double rows[][2] = {{70, 41.03}, {150, 158.6}, {200, 260.9}};
  for (const auto& [energy, range] : rows) {
    Problem p = pencil({energy, range, 0.013 * range}, Stepping::kDepth);
    p.materials[0] = test::material("water", 1.0, "icru90");
    CHECK_NEAR(SolvedProblem(p).depth_dose().distal(0.8), range, std::max(0.3, 0.002 * range));
  }
}

// TOPAS base data of section 4, laterally integrated, with nuclear reactions.
constexpr double kMonteCarlo[][4] = {  // MeV, R80 mm, W80-20 mm, peak/entrance
    {70.69, 41.68, 0.613, 6.39},
    {99.97, 77.40, 1.123, 6.15},
    {149.81, 157.91, 2.238, 5.67},
    {199.49, 259.24, 3.597, 5.07}};

TEST("gate, attenuation: R80 within 0.5 %, W80-20 within 5 %, peak/entrance within 10 % of the Monte Carlo rows") {
  for (const auto& [energy, r80, width, ratio] : kMonteCarlo) {
    Problem p = pencil({energy, r80, width}, Stepping::kDepth);
    p.nuclear = Nuclear::kAttenuation;
    const test::Curve dose = SolvedProblem(p).depth_dose();
    CHECK_REL(dose.distal(0.8), r80, 0.005);
    CHECK_REL(dose.w80_20(), width, 0.05);
    CHECK_REL(dose.peak() / dose.value[0], ratio, 0.10);
  }
}

TEST("attenuation: protons are lost as 1 + 0.012 R, and four tenths or more of their energy escape") {
  Problem p = pencil({200.0, 259.6, 3.557}, Stepping::kDepth);
  p.nuclear = Nuclear::kAttenuation;
  const SolvedProblem o(p);
  CHECK_REL(1.0 - o.result().number.back().nuclear, 1.0 / (1.0 + 0.012 * 25.96), 0.005);
  for (const double depth : {50.0, 130.0, 200.0}) {
    CHECK_REL(o.fluence(depth).number, (1.0 + 0.012 * (25.96 - 0.1 * depth)) / (1.0 + 0.012 * 25.96), 0.002);
  }
  // If losses are uniform over the range, a lost proton has on average 0.639 of its energy left (R ∝ E^1.77). Four
  // tenths of that escape, and more over the first centimetres, where the deposited share still builds up.
  const double lost = o.result().number.back().nuclear * 200.0 * 0.639;
  CHECK(o.result().energy.back().nuclear > 0.4 * lost);
  CHECK(o.result().energy.back().nuclear < 0.55 * lost);
}
