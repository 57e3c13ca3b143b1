// Gates of test/physics/gold.md on scattering. The moments of the beam are compared with Fermi-Eyges quadratures of the
// same scattering power, and with section 4.
#include <cmath>
#include <functional>

#include "../kernels/physics/quadrature.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "physics/scattering.hpp"

using namespace bb;
using namespace bb::transport;
using test::SolvedProblem;

namespace {

using Power = std::function<double(double energy)>;  // rad² per g/cm²

/// A grid that resolves the beam: σ_x at a quarter of the range is at least three cells, σ_θ at least three bins.
Problem resolved(double energy, double range, Stepping stepping) {
  const double dx = energy < 80 ? 0.025 : energy < 120 ? 0.05 : energy < 180 ? 0.1 : 0.2;
  const double dz = energy < 80 ? 0.2 : energy < 120 ? 0.25 : 0.5;
  Problem p = test::water_problem(energy, {std::ceil(0.14 * range), std::ceil(1.04 * range), dx, dz}, 0.32, 0.005);
  p.stepping = stepping;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  return p;
}

void check_moments(const SolvedProblem& o, const Problem& p, const Power& power, double depth, double tolerance) {
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  const auto a = [&](int n) { return test::fermi_eyges(water, p.beam.energy, 0.1 * depth, n, power); };
  CHECK_REL(o.fluence(depth).theta_variance, a(0), tolerance);
  CHECK_REL(o.fluence(depth).covariance, 10.0 * a(1), tolerance);
  CHECK_REL(o.fluence(depth).x_variance, 100.0 * a(2), tolerance);
}

}  // namespace

TEST("gate, A0 A1 A2 in a slab of water: within 1 % of Fermi-Eyges, gottschalk, depth stepping") {
  for (const auto& [energy, range] :
       {std::pair{70.0, 40.8}, std::pair{100.0, 77.2}, std::pair{150.0, 157.7}, std::pair{200.0, 259.6}}) {
    const Problem p = resolved(energy, range, Stepping::kDepth);
    const SolvedProblem o(p);
    for (const double share : {0.25, 0.5, 0.75}) {
      check_moments(o, p, [&](double e) { return physics::gottschalk_power(e, energy, 46.88); }, share * range, 0.01);
    }
  }
}

TEST("long gate, A0 A1 A2 in a slab of water: within 1 % of Fermi-Eyges, gottschalk, path stepping") {
  for (const auto& [energy, range] : {std::pair{70.0, 40.8}, std::pair{150.0, 157.7}}) {
    const Problem p = resolved(energy, range, Stepping::kPath);
    const SolvedProblem o(p);
    for (const double share : {0.25, 0.5, 0.75}) {
      check_moments(o, p, [&](double e) { return physics::gottschalk_power(e, energy, 46.88); }, share * range, 0.01);
    }
  }
}

TEST("gate, A0 A1 A2 in 300 mm of air and in water behind it: within 1 % of Fermi-Eyges") {
  constexpr double kGap = 300.0, kNode = 299.875, kAirXs = 46.76;  // mm, mm, g/cm²
  constexpr Scattering kMoliere = Scattering::kGottschalk, kHighland = Scattering::kHighland;
  for (const auto& [energy, model] :
       {std::pair{70.0, kMoliere}, {100.0, kMoliere}, {100.0, kHighland}, {150.0, kMoliere}, {200.0, kMoliere}}) {
    const double in_water_mm = energy < 120.0 ? 20.0 : 60.0;
    // Bins of residual range as in default grids: as wide as the range lost in 83 mm of air.
    Problem p = test::water_problem(energy, {8.0, kGap + in_water_mm + 5.0, 0.1, 0.25}, 0.15, 0.005);
    p.materials.push_back(test::material("air"));
    test::fill_region(p, 1, -4.0, 4.0, 0.0, kGap);
    p.grid.energy_step = 0.1;
    p.stepping = Stepping::kDepth;
    p.precision = Precision::kFp32;
    p.variant = "depth";
    p.scattering = model;
    const SolvedProblem o(p);
    const Material &air = p.materials[1], &water = p.materials[0];
    const physics::StoppingTable in_air(air.energies, air.stopping), in_water(water.energies, water.stopping);
    const double per_cm = air.density, gap = 0.1 * kGap * per_cm;  // g/cm²
    const auto power = [&](double x0, double xs) {
      return [&, x0, xs](double e) {
        if (model == Scattering::kGottschalk) return physics::gottschalk_power(e, energy, xs);
        return physics::highland_power(e, (in_water.range(energy) - in_water.range(e)) / water.x0, x0);
      };
    };
    // Moments in rad, cm.
    const auto along = [&](double mm, int n) {
      const double path = 0.1 * mm * per_cm;
      return test::fermi_eyges(in_air, energy, path, n, power(air.x0, kAirXs)) / std::pow(per_cm, n);
    };
    const test::Fluence in_the_gap = o.fluence(kNode);
    CHECK_REL(in_the_gap.theta_variance, along(kNode, 0), 0.01);
    CHECK_REL(in_the_gap.covariance, 10.0 * along(kNode, 1), 0.01);
    CHECK_REL(in_the_gap.x_variance, 100.0 * along(kNode, 2), 0.01);
    const auto a = [&](int n) { return along(kGap, n); };
    const double left = in_air.energy_at(in_air.range(energy) - gap), way = 0.1 * in_water_mm;
    const auto w = [&](int n) { return test::fermi_eyges(in_water, left, way, n, power(water.x0, water.xs)); };
    const test::Fluence in_water_too = o.fluence(kGap + in_water_mm);
    CHECK_REL(in_water_too.theta_variance, a(0) + w(0), 0.01);
    CHECK_REL(in_water_too.covariance, 10.0 * (a(1) + way * a(0) + w(1)), 0.01);
    CHECK_REL(in_water_too.x_variance, 100.0 * (a(2) + 2.0 * way * a(1) + way * way * a(0) + w(2)), 0.01);
  }
}

TEST("gate, A0 A1 A2 in a slab of water: within 1 % of Fermi-Eyges, fermi-rossi and highland") {
  const double energy = 150.0, range = 157.7;
  Problem p = resolved(energy, range, Stepping::kDepth);
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  p.scattering = Scattering::kFermiRossi;
  const SolvedProblem rossi(p);
  p.scattering = Scattering::kHighland;
  const SolvedProblem highland(p);
  for (const double share : {0.25, 0.5, 0.75}) {
    check_moments(rossi, p, [](double e) { return physics::fermi_rossi_power(e, 36.08); }, share * range, 0.01);
    check_moments(
        highland, p,
        [&](double e) { return physics::highland_power(e, (water.range(energy) - water.range(e)) / 36.08, 36.08); },
        share * range, 0.01);
  }
}

TEST("gate, sigma_x of primaries: within 3 % of section 4 at half and nine tenths of the range") {
  const double rows[][4] = {// MeV, range mm, σ_x mm at 0.5 R and 0.9 R
                            {99.97, 77.14, 0.507, 1.388},
                            {149.81, 157.38, 1.032, 2.818},
                            {199.49, 258.48, 1.690, 4.610}};
  for (const auto& [energy, range, half, end] : rows) {
    const SolvedProblem o(resolved(energy, range, Stepping::kDepth));
    CHECK_REL(o.sigma_x(0.5 * range), half, 0.03);
    CHECK_REL(o.sigma_x(0.9 * range), end, 0.03);
  }
}

TEST("long gate, sigma_x of primaries: within 3 % on the default grid of the 70 and 150 MeV scenarios, path stepping") {
  const double rows[][5] = {{149.81, 157.38, 0.5, 1.032, 2.818}, {99.97, 77.14, 0.25, 0.507, 1.388}};
  for (const auto& [energy, range, dz, half, end] : rows) {
    Problem p = test::water_problem(energy, {40, std::ceil(1.04 * range), 0.5, dz}, 0.4, 0.005);
    p.precision = Precision::kFp32;
    p.variant = "auto";
    const SolvedProblem o(p);
    CHECK_REL(o.sigma_x(0.5 * range), half, 0.03);
    CHECK_REL(o.sigma_x(0.9 * range), end, 0.03);
  }
}
