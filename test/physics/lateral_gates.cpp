// Gates of test/physics/gold.md on scattering: the moments of the beam against Fermi-Eyges
// quadratures with the same scattering power, and against section 4.
#include <cmath>
#include <functional>

#include "../kernels/physics/quadrature.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "physics/scattering.hpp"

using namespace bb;
using namespace bb::transport;
using test::Observed;

namespace {

using Power = std::function<double(double energy)>;  // rad² per g/cm²

/// Resolved: σ_x at a quarter of the range is three cells or more, σ_θ three bins or more.
Problem resolved(double energy, double range, Stepping stepping) {
  const double dx = energy < 80 ? 0.025 : energy < 120 ? 0.05 : energy < 180 ? 0.1 : 0.2;
  const double dz = energy < 80 ? 0.2 : energy < 120 ? 0.25 : 0.5;
  Problem p = test::water_problem(energy, {std::ceil(0.14 * range), std::ceil(1.04 * range), dx, dz}, 0.32, 0.005);
  p.stepping = stepping;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  return p;
}

void check_moments(const Observed& o, const Problem& p, const Power& power, double depth, double tolerance) {
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
    const Observed o(p);
    for (const double share : {0.25, 0.5, 0.75}) {
      check_moments(o, p, [&](double e) { return physics::gottschalk_power(e, energy, 46.88); }, share * range, 0.01);
    }
  }
}

TEST("long gate, A0 A1 A2 in a slab of water: within 1 % of Fermi-Eyges, gottschalk, path stepping") {
  for (const auto& [energy, range] : {std::pair{70.0, 40.8}, std::pair{150.0, 157.7}}) {
    const Problem p = resolved(energy, range, Stepping::kPath);
    const Observed o(p);
    for (const double share : {0.25, 0.5, 0.75}) {
      check_moments(o, p, [&](double e) { return physics::gottschalk_power(e, energy, 46.88); }, share * range, 0.01);
    }
  }
}

TEST("gate, A0 A1 A2 in a slab of water: within 1 % of Fermi-Eyges, fermi-rossi and highland") {
  const double energy = 150.0, range = 157.7;
  Problem p = resolved(energy, range, Stepping::kDepth);
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  p.scattering = Scattering::kFermiRossi;
  const Observed rossi(p);
  p.scattering = Scattering::kHighland;
  const Observed highland(p);
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
    const Observed o(resolved(energy, range, Stepping::kDepth));
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
    const Observed o(p);
    CHECK_REL(o.sigma_x(0.5 * range), half, 0.03);
    CHECK_REL(o.sigma_x(0.9 * range), end, 0.03);
  }
}
