#include "physics/fermi_eyges.hpp"

#include <algorithm>
#include <cmath>

#include "../problems.hpp"
#include "check.hpp"
#include "physics/scattering.hpp"
#include "quadrature.hpp"
#include "transport/model/theory/pencil.hpp"

using namespace bb;
using namespace bb::transport;

TEST("Fermi-Eyges: a beam in next to nothing is narrowest at its focus") {
  transport::Problem p = test::water_problem(150.0, {60.0, 100.0, 1.0, 1.0}, 0.1, 0.01);
  p.materials.push_back(test::material("air"));
  test::paint(p, 1, -30.0, 30.0, 0.0, 100.0);
  p.beam.angle_sigma = 0.02;
  p.beam.x_sigma = 2.0;
  p.beam.focus = 60.0;
  const auto moments = transport::pencil_beam(p);
  const auto narrowest = std::ranges::min_element(moments, {}, [](const auto& m) { return m.x_x; });
  CHECK_NEAR(static_cast<double>(narrowest - moments.begin()) + 0.5, 60.0, 1.5);
  CHECK_REL(narrowest->x_x, 4.0 - 1.44, 2e-2);
}

TEST("Fermi-Eyges: with one scattering power throughout, the cubes and squares of the textbook") {
  const physics::PencilMedium medium{[](double energy, double) { return energy; }, [](double) { return 2e-4; }};
  const auto m = physics::fermi_eyges({1e-6, 0, 4}, 100, 2, 40, 0.5, [&](int) -> const auto& { return medium; });
  CHECK_EQ(m.size(), std::size_t{40});
  const double z = 0.5 * (30 + 0.5);
  CHECK_REL(m[30].theta_theta, 1e-6 + 2e-4 * z, 1e-12);
  CHECK_REL(m[30].x_theta, 1e-6 * z + 2e-4 * z * z / 2, 1e-12);
  CHECK_REL(m[30].x_x, 4 + 1e-6 * z * z + 2e-4 * z * z * z / 3, 1e-12);
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

TEST("Fermi-Eyges: refused for a beam that is not along z") {
  Problem p = test::water_problem(70, {40, 50, 0.5, 0.5}, 0.32, 0.005);
  p.beam.angle = 0.1;
  CHECK_THROWS(pencil_beam(p), "not along z");
}
