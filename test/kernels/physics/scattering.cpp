#include <algorithm>
#include <cmath>

#include "../problems.hpp"
#include "check.hpp"
#include "physics/fermi_eyges.hpp"
#include "physics/scattering.hpp"
#include "physics/track_moments.hpp"
#include "quadrature.hpp"
#include "transport/model/theory/pencil.hpp"

using namespace bb::physics;
using bb::test::along;
using bb::test::material;

namespace {

constexpr double kWaterX0 = 36.08, kWaterXs = 46.88;  // g/cm²

}  // namespace

TEST("gate, scattering power: plane angles in water as in test/physics/gold.md (gottschalk)") {
  const auto water = material("water");
  const StoppingTable table(water.energies, water.stopping);
  const double wanted[][3] = {// MeV, cm, mrad
                              {100, 1, 10.85}, {100, 5, 32.3},   {150, 1, 7.20},   {150, 5, 18.7},
                              {150, 10, 31.4}, {158.6, 1, 6.81}, {158.6, 5, 17.5}, {158.6, 10, 28.8},
                              {200, 5, 13.7},  {200, 10, 21.2},  {200, 20, 38.4}};
  for (const auto& [energy, depth, mrad] : wanted) {
    const double entrance = energy;
    const double variance =
        along(table, energy, depth, [&](double e, double) { return gottschalk_power(e, entrance, kWaterXs); });
    CHECK_REL(1e3 * std::sqrt(variance), mrad, 0.005);
  }
}

TEST("gottschalk: no scattering before the first loss, then rising with depth") {
  CHECK_EQ(gottschalk_correction(pv(100.0), pv(100.0)), 0.0);
  CHECK_EQ(gottschalk_power(100.0, 100.0, kWaterXs), 0.0);
  double last = 0.0;
  for (double energy = 99.0; energy > 5.0; energy *= 0.9) {
    const double power = gottschalk_power(energy, 100.0, kWaterXs);
    CHECK(power > last);
    last = power;
  }
}

TEST("fermi-rossi: (15/pv)^2/X0, inverse in X0") {
  CHECK_REL(fermi_rossi_power(100.0, kWaterX0), std::pow(15.0 / 190.37, 2) / kWaterX0, 1e-4);
  CHECK_REL(fermi_rossi_power(60.0, 6.37) / fermi_rossi_power(60.0, kWaterX0), kWaterX0 / 6.37, 1e-12);
}

TEST("highland: integrates to its own formula over a thin slab; zero before the logarithm turns positive") {
  CHECK_EQ(highland_power(100.0, 0.0, kWaterX0), 0.0);
  CHECK_EQ(highland_power(100.0, 1e-10, kWaterX0), 0.0);
  // At fixed energy (no loss) the power is (14.1/pv)² (1 + lg(x)/9)² / X0, where x is the thickness traversed so far.
  const double x = 0.03;
  const double correction = 1.0 + std::log10(x) / 9.0;
  CHECK_REL(highland_power(150.0, x, kWaterX0), std::pow(14.1 / 279.33 * correction, 2) / kWaterX0, 1e-4);
}

using namespace bb;
using namespace bb::transport;

TEST("Fermi-Eyges: a beam in almost vacuum is narrowest at its focus") {
  transport::Problem p = test::water_problem(150.0, {60.0, 100.0, 1.0, 1.0}, 0.1, 0.01);
  p.materials.push_back(test::material("air"));
  test::fill_region(p, 1, -30.0, 30.0, 0.0, 100.0);
  p.beam.angle_sigma = 0.02;
  p.beam.x_sigma = 2.0;
  p.beam.focus = 60.0;
  const auto moments = transport::pencil_beam(p);
  const auto narrowest = std::ranges::min_element(moments, {}, [](const auto& m) { return m.x_x; });
  CHECK_NEAR(static_cast<double>(narrowest - moments.begin()) + 0.5, 60.0, 1.5);
  CHECK_REL(narrowest->x_x, 4.0 - 1.44, 2e-2);
}

TEST("Fermi-Eyges: constant scattering power gives the cubes and squares of the textbook") {
  const physics::PencilMedium medium{[](double energy, double) { return energy; }, [](double) { return 2e-4; }};
  const auto m = physics::fermi_eyges({1e-6, 0, 4}, 100, 2, 40, 0.5, [&](int) -> const auto& { return medium; });
  CHECK_EQ(m.size(), std::size_t{40});
  const double z = 0.5 * (30 + 0.5);
  CHECK_REL(m[30].theta_theta, 1e-6 + 2e-4 * z, 1e-12);
  CHECK_REL(m[30].x_theta, 1e-6 * z + 2e-4 * z * z / 2, 1e-12);
  CHECK_REL(m[30].x_x, 4 + 1e-6 * z * z + 2e-4 * z * z * z / 3, 1e-12);
}

TEST("Fermi-Eyges: a linearly rising power equals its midpoint value in each part of the path") {
  // The beam loses 1 MeV per mm, and T = k z. With T at the middles of parts of h: <theta theta> = k z^2 / 2 exactly,
  // <x theta> = k (z^3 / 6 + z h^2 / 12) and <x x> = k (z^4 / 12 + z^2 h^2 / 12). With T at their fronts, <theta theta>
  // would be smaller by h / z.
  constexpr double k = 1e-5, h = 0.5 / 16;
  const physics::PencilMedium medium{[](double energy, double length) { return energy - length; },
                                     [](double energy) { return k * (100 - energy); }};
  const auto m = physics::fermi_eyges({}, 100, 2, 40, 0.5, [&](int) -> const auto& { return medium; });
  for (const std::size_t i : {0, 30}) {
    const double z = 0.5 * (static_cast<double>(i) + 0.5);
    CHECK_REL(m[i].theta_theta, k * z * z / 2, 1e-10);
    CHECK_REL(m[i].x_theta, k * (z * z * z / 6 + z * h * h / 12), 1e-10);
    CHECK_REL(m[i].x_x, k * (z * z * z * z / 12 + z * z * h * h / 12), 1e-10);
  }
}

TEST("Fermi-Eyges: a 150 MeV beam in water has the moments of the quadrature, and ends at its range") {
  Problem p = test::water_problem(150, {40, 170, 0.5, 0.5}, 0.32, 0.005);
  p.beam.x_sigma = 0;
  p.beam.angle_sigma = 0;
  const auto m = pencil_beam(p);
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  const double range_mm = 10.0 * water.range(150) / p.materials[0].density;
  CHECK(std::abs(0.5 * static_cast<double>(m.size()) - range_mm) < 1.0);
  for (const std::size_t i : {100, 200, 300}) {
    const double depth = 0.1 * p.materials[0].density * 0.5 * (static_cast<double>(i) + 0.5);
    const auto power = [&](double energy) { return physics::gottschalk_power(energy, 150, p.materials[0].xs); };
    const double wanted = 100 * test::fermi_eyges(water, 150, depth, 2, power);
    CHECK_REL(m[i].x_x, wanted, 2e-3);
  }
}

TEST("Fermi-Eyges: rejects a beam that is not along z") {
  Problem p = test::water_problem(70, {40, 50, 0.5, 0.5}, 0.32, 0.005);
  p.beam.angle = 0.1;
  CHECK_THROWS(pencil_beam(p), "not along z");
}

// Track moments compared with their definitions.

TEST("track moments: the length is the range, and the integral of LET in water is the energy") {
  const physics::StoppingTable& water = test::water();
  const physics::TrackMoments m(water, water, 1.0);
  for (const double energy : {0.05, 1.0, 10.0, 70.0, 230.0}) {
    CHECK_REL(m.at(0, energy), 10.0 * water.range(energy), 1e-4);
    CHECK_REL(m.at(1, energy), energy, 1e-9);
  }
  CHECK_EQ(m.at(2, 0.0), 0.0);
}

TEST("track moments: the second moment is the integral of stopping power over energy") {
  const physics::StoppingTable& water = test::water();
  const physics::TrackMoments m(water, water, 1.0);
  constexpr int kParts = 20000;
  double sum = 0.0;
  for (int i = 0; i < kParts; ++i) sum += 0.1 * water.stopping(1.0 + (i + 0.5) * 99.0 / kParts) * 99.0 / kParts;
  CHECK_REL(m.at(2, 100.0) - m.at(2, 1.0), sum, 1e-6);
}

TEST("track moments: LET refers to water in any medium, and lengths refer to the medium") {
  const transport::Material bone = test::material("bone-compact-icru");
  const physics::StoppingTable in_bone(bone.energies, bone.stopping);
  const physics::TrackMoments m(test::water(), in_bone, bone.density);
  CHECK_REL(m.at(0, 100.0), 10.0 * in_bone.range(100.0) / bone.density, 1e-4);
  CHECK_REL(m.per_energy(1, 100.0) / m.per_energy(0, 100.0), 0.1 * test::water().stopping(100.0), 1e-12);
}
