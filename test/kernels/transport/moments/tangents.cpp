// Compares derivatives of a dose by its inputs with finite differences on the same steps, with theory, and with
// end-to-end runs.
#include "transport/moments/tangents.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../held_run.hpp"
#include "../../problems.hpp"
#include "check.hpp"
#include "transport/run/run.hpp"

namespace bb::test::tangents {
namespace {

using namespace transport;

/// Water with 20 mm of bone at a depth of 30 mm.
Problem with_bone(double energy) {
  Problem p = test::water_problem(energy, {100.0, 200.0, 10.0, 0.2}, 0.2, 0.04);
  p.materials.push_back(test::material("bone-compact-icru"));
  test::fill_region(p, 1, -50.0, 50.0, 30.0, 50.0);
  p.stepping = Stepping::kDepth;
  p.beam.x_sigma = 3.0;
  p.beam.energy_sigma = 0.8;
  return p;
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double each : values) most = std::max(most, std::abs(each));
  return most;
}

/// Depth at which a curve over rows of `dz` has fallen to 80 % of its peak, by linear interpolation between their
/// middles. The peak is the top of the parabola that fits the rows within 2 mm of the highest one.
double r80(const std::vector<double>& dose, double dz) {
  const auto peak = static_cast<std::size_t>(std::ranges::max_element(dose) - dose.begin());
  const int reach = static_cast<int>(2.0 / dz);
  double sum = 0.0, first = 0.0, second = 0.0, k2 = 0.0, k4 = 0.0;
  for (int k = -reach; k <= reach; ++k) {
    const double value = dose[peak + static_cast<std::size_t>(reach) - static_cast<std::size_t>(reach - k)];
    sum += value;
    first += k * value;
    second += k * k * value;
    k2 += k * k;
    k4 += k * k * k * k;
  }
  const double n = 2.0 * reach + 1.0, bend = (second - k2 / n * sum) / (k4 - k2 * k2 / n), rise = first / k2;
  const double level = 0.8 * ((sum - bend * k2) / n - rise * rise / (4.0 * bend));
  std::size_t i = peak;
  while (dose[i + 1] > level) ++i;
  return dz * (static_cast<double>(i) + 0.5 + (dose[i] - level) / (dose[i] - dose[i + 1]));
}

std::vector<double> moved(const DoseTangents& of, std::size_t way, double by) {
  std::vector<double> out = of.depth_dose;
  for (std::size_t z = 0; z < out.size(); ++z) out[z] += by * of.dose_by[way * out.size() + z];
  return out;
}

double slope_of_r80(const DoseTangents& of, std::size_t way, double dz, double by) {
  return (r80(moved(of, way, by), dz) - r80(moved(of, way, -by), dz)) / (2.0 * by);
}

}  // namespace

TEST("moments: derivatives for every input equal central differences to 1e-4") {
  for (const Scattering scattering : {Scattering::kGottschalk, Scattering::kHighland}) {
    Problem p = with_bone(140.0);
    p.scattering = scattering;
    p.nuclear = Nuclear::kAttenuation;
    p.beam.angle_sigma = 0.004;
    const std::vector<Direction> ways = {
        {Input::kEnergy, 0},        {Input::kEnergySpread, 0}, {Input::kWidth, 0},
        {Input::kAngularSpread, 0}, {Input::kStopping, 1},     {Input::kMeanExcitation, 0},
        {Input::kDensity, 2},       {Input::kThickness, 1},    {Input::kScattering, 0}};
    const std::vector<double> steps = {1e-3, 1e-3, 1e-3, 1e-6, 1e-5, 1e-5, 1e-5, 1e-3, 1e-4};
    const DoseTangents exact = dose_tangents(p, ways);
    const std::size_t rows = exact.depth_dose.size();
    for (std::size_t k = 0; k < ways.size(); ++k) {
      std::vector<double> above(ways.size(), 0.0), below(ways.size(), 0.0);
      above[k] = steps[k];
      below[k] = -steps[k];
      const DoseTangents up = dose_tangents(p, ways, above), down = dose_tangents(p, ways, below);
      std::vector<double> off, by, sigma_off, sigma_by;
      for (std::size_t z = 0; z < rows; ++z) {
        by.push_back(exact.dose_by[k * rows + z]);
        off.push_back((up.depth_dose[z] - down.depth_dose[z]) / (2.0 * steps[k]) - by.back());
        // Rows beyond the range are skipped, because only the last few protons determine the width there.
        if (exact.depth_dose[z] < 1e-3 * exact.depth_dose[0]) continue;
        sigma_by.push_back(exact.x_sigma_by[k * rows + z]);
        sigma_off.push_back((up.x_sigma[z] - down.x_sigma[z]) / (2.0 * steps[k]) - sigma_by.back());
      }
      CHECK(largest(by) > 0.0 || ways[k].input == Input::kWidth);
      CHECK_NEAR(largest(off), 0.0, 1e-4 * largest(by) + 1e-9);
      CHECK_NEAR(largest(sigma_off), 0.0, 1e-4 * largest(sigma_by) + 1e-9);
    }
  }
}

TEST("moments: the differentiated dose equals the dose of the run in every row") {
  Problem p = with_bone(140.0);
  p.nuclear = Nuclear::kAttenuation;
  p.variant = "moments";
  const DoseTangents tangents = dose_tangents(p, {});
  const engine::RunResult run = test::Run(p).execute({});
  const auto nx = static_cast<std::size_t>(p.grid.nx);
  for (std::size_t z = 0; z < tangents.depth_dose.size(); ++z) {
    double row = 0.0;
    for (std::size_t x = 0; x < nx; ++x) row += run.dose[z * nx + x];
    CHECK_NEAR(tangents.depth_dose[z], row, 1e-5 * largest(tangents.depth_dose));
  }
}

TEST("moments: derivatives without straggling are finite where bins contain only rounding errors") {
  // Without straggling, most bins have a derivative by the energy or the density but a number of protons that is only
  // rounding error.
  Problem air = test::water_problem(70.0, {200.0, 130.0, 10.0, 1.0}, 0.2, 0.04);
  air.materials.push_back(test::material("air"));
  test::fill_region(air, 1, -100.0, 100.0, 0.0, 100.0);
  air.stepping = Stepping::kDepth;
  air.straggling = Straggling::kOff;
  const std::vector<Direction> energy = {{Input::kEnergy, 0}};
  const double step = 1e-3;
  const std::vector<double> more = {step}, less = {-step};
  const DoseTangents exact = dose_tangents(air, energy), up = dose_tangents(air, energy, more),
                     down = dose_tangents(air, energy, less);
  std::vector<double> off, sigma_off;
  for (std::size_t z = 0; z < exact.depth_dose.size(); ++z) {
    off.push_back((up.depth_dose[z] - down.depth_dose[z]) / (2.0 * step) - exact.dose_by[z]);
    sigma_off.push_back((up.x_sigma[z] - down.x_sigma[z]) / (2.0 * step) - exact.x_sigma_by[z]);
  }
  CHECK_NEAR(largest(off), 0.0, 1e-3 * largest(exact.dose_by));
  CHECK_NEAR(largest(sigma_off), 0.0, 1e-3 * largest(exact.x_sigma_by));
  // Near the end of the range, the mean square angle would exceed its limit, and so would the shift by the longer path.
  Problem water = test::water_problem(70.0, {200.0, 48.0, 10.0, 1.0}, 0.2, 0.04);
  water.stepping = Stepping::kDepth;
  water.straggling = Straggling::kOff;
  const std::vector<Direction> density = {{Input::kDensity, 0}};
  const DoseTangents of = dose_tangents(water, density, std::vector{1e-5});
  double sum = 0.0;
  for (const double each : of.depth_dose) sum += each;
  CHECK_REL(sum, 70.0, 1e-6);
}

TEST("moments: the range changes with energy by 1/S, and with the inverse of the density") {
  Problem p = test::water_problem(150.0, {100.0, 200.0, 10.0, 0.25}, 0.2, 0.04);
  p.stepping = Stepping::kDepth;
  p.beam.energy_sigma = 1.5;  // a peak of some mm, which the rows resolve
  const std::vector<Direction> ways = {{Input::kEnergy, 0}, {Input::kDensity, 0}, {Input::kStopping, 0}};
  const DoseTangents of = dose_tangents(p, ways);
  CHECK_REL(slope_of_r80(of, 0, 0.25, 1e-3), 10.0 / test::water().stopping(150.0), 0.01);
  // All lengths are proportional to the inverse of the density, including straggling but not the beam's own spread.
  CHECK_REL(slope_of_r80(of, 1, 0.25, 1e-5), -r80(of.depth_dose, 0.25), 0.01);
  CHECK_REL(slope_of_r80(of, 2, 0.25, 1e-5), -r80(of.depth_dose, 0.25), 0.01);
  // All energy is deposited. So each MeV of beam energy adds 1 MeV to the dose, and changes of matter add nothing.
  double sums[3] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t z = 0; z < of.depth_dose.size(); ++z) sums[k] += of.dose_by[k * of.depth_dose.size() + z];
  }
  CHECK_REL(sums[0], 1.0, 1e-4);
  CHECK_NEAR(sums[1], 0.0, 1e-6);
  CHECK_NEAR(sums[2], 0.0, 1e-6);
}

TEST("moments: one additional mm of bone moves the end of the range by 1 minus its relative stopping power") {
  Problem p = with_bone(140.0);
  p.beam.energy_sigma = 0.0;
  const std::vector<Direction> ways = {{Input::kThickness, 1}, {Input::kThickness, 0}};
  const DoseTangents of = dose_tangents(p, ways);
  // The point is the middle of the bone, which the beam of 140 MeV enters with 122.8 MeV and leaves with 99.4 MeV.
  const Material bone = test::material("bone-compact-icru");
  const physics::StoppingTable table(bone.energies, bone.stopping);
  const double relative = bone.density * table.stopping(99.4) / test::water().stopping(99.4);
  CHECK_NEAR(slope_of_r80(of, 0, 0.2, 1e-3), 1.0 - relative, 0.02);
  // More water before the bone means less water behind it, so the range does not change.
  CHECK_NEAR(slope_of_r80(of, 1, 0.2, 1e-3), 0.0, 0.02);
}

TEST("moments: derivatives are rejected with nuclear products, and for unknown layers") {
  Problem p = with_bone(100.0);
  const std::vector<Direction> far = {{Input::kDensity, 3}};
  CHECK_THROWS(dose_tangents(p, far), "layer = 3; allowed: 0 to 2");
  test::follow_reactions(p);
  CHECK_THROWS(dose_tangents(p, {}), "physics.nuclear = icru63");
}

}  // namespace bb::test::tangents
