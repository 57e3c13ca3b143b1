#include <cmath>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "diffraction/model/structure_factors.hpp"
#include "physics/lattice_factor.hpp"
#include "physics/pixel.hpp"
#include "physics/polarisation.hpp"

using namespace bb;
using diffraction::Reflection;
using diffraction::StructureFactors;

TEST("a row of N cells scatters N at whole indices and nothing in between") {
  CHECK_EQ(physics::row_of_cells(0.0, 5), 5.0);
  CHECK_REL(std::abs(physics::row_of_cells(3.0, 5)), 5.0, 1e-12);
  for (int i = 1; i < 5; ++i) CHECK_NEAR(physics::row_of_cells(i / 5.0, 5), 0.0, 1e-14);
  CHECK_EQ(physics::row_of_cells(0.3, 1), 1.0);
  // Parseval: the mean square over one period is N.
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum += std::pow(physics::row_of_cells((i + 0.5) / 1000, 7), 2) / 1000;
  CHECK_REL(sum, 7.0, 1e-10);
}

TEST("the transform of a sphere meets its series and its first zero") {
  CHECK_EQ(physics::sinc3(0.0), 1.0);
  CHECK_NEAR(physics::sinc3(0.0999999), physics::sinc3(0.1000001), 1e-8);
  CHECK_NEAR(physics::sinc3(4.493409457909064), 0.0, 1e-15);  // tan x = x
  CHECK_REL(physics::sinc3(1.0), 3.0 * (std::sin(1.0) - std::cos(1.0)), 1e-14);
}

TEST("structure factors: the list, and the default elsewhere") {
  const std::vector<Reflection> list = {{-2, 0, 1, 10.0}, {1, 3, -4, 20.0}};
  const StructureFactors f(list, 5.0);
  CHECK_EQ(f.nearest(-2, 0, 1), 10.0);
  CHECK_EQ(f.nearest(1, 3, -4), 20.0);
  CHECK_EQ(f.nearest(0, 0, 0), 5.0);   // in the box
  CHECK_EQ(f.nearest(2, 3, -4), 5.0);  // behind it
  CHECK_EQ(f.nearest(-3, 0, 1), 5.0);  // before it
  CHECK_EQ(f.nearest(-2, 0, 100000), 5.0);
  const std::vector<Reflection> far = {{-10000, 0, 0, 1.0}, {10000, 1000, 1000, 1.0}};
  Problem p = cubic_problem(16);
  p.reflections = far;
  p.memory_limit = 1e9;
  CHECK_THROWS(outline_of(p), "20001 x 1001 x 1001");
}

TEST("between reflections F follows any cubic exactly") {
  std::vector<Reflection> list;
  const auto cubic = [](double h, double k, double l) {
    return 40 + 2 * h - k * k + 0.5 * l * l * l + h * k * l - 0.25 * h * h * h * k * k;
  };
  for (int h = -4; h <= 4; ++h) {
    for (int k = -4; k <= 4; ++k) {
      for (int l = -4; l <= 4; ++l) list.push_back({h, k, l, cubic(h, k, l)});
    }
  }
  const StructureFactors f(list, 0.0);
  CHECK_REL(f.tricubic(0.3, -1.7, 1.4), cubic(0.3, -1.7, 1.4), 1e-12);
  CHECK_REL(f.tricubic(-2.5, 2.25, -2.9), cubic(-2.5, 2.25, -2.9), 1e-12);
  CHECK_REL(f.tricubic(2, -3, 1), cubic(2, -3, 1), 1e-12);
  CHECK_EQ(StructureFactors({}, 7.0).tricubic(0.5, 0.5, 0.5), 7.0);
}

TEST("polarisation: unpolarised light, and none along the electric field") {
  CHECK_EQ(physics::polarisation_factor(1.0, 0.0, 0.0, 0.7), 1.0);
  CHECK_EQ(physics::polarisation_factor(0.0, 0.6, 0.8, 0.0), 0.5);
  CHECK_NEAR(physics::polarisation_factor(0.0, 0.0, 1.0, 1.0), 0.0, 1e-15);
  CHECK_NEAR(physics::polarisation_factor(0.0, 1.0, 0.0, 1.0), 1.0, 1e-15);
  // K takes from one direction what it gives to the other.
  const double along = physics::polarisation_factor(0.5, 0.0, 0.866, 0.4);
  const double across = physics::polarisation_factor(0.5, 0.866, 0.0, 0.4);
  CHECK_NEAR(0.5 * (along + across), physics::polarisation_factor(0.5, 0.5, 0.5, 0.0), 1e-15);
}

TEST("layers of a sensor share what the whole of it absorbs") {
  double sum = 0.0;
  for (int i = 0; i < 5; ++i) sum += physics::absorbed_share(i * 90e-6, (i + 1) * 90e-6, 500e-6, 1.0);
  CHECK_REL(sum, 1.0 - std::exp(-0.9), 1e-14);
  CHECK_REL(physics::absorbed_share(0, 450e-6, 500e-6, 0.5), 1.0 - std::exp(-1.8), 1e-14);
}
