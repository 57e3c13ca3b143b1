// The bound for every gate's beam is the CSDA range, and a run beyond it is reported.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "../kernels/held_run.hpp"
#include "../kernels/mean_range.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"

using namespace bb;
using namespace bb::transport;

namespace {

Problem pencil(double angle) {
  Problem p = test::water_problem(70.0, {angle == 0.0 ? 20.0 : 70.0, 52.0, 0.5, 0.2}, 0.4, 0.04);
  p.variant = "auto";
  p.stepping = Stepping::kDepth;
  p.grid.cutoff = 0.5;
  p.beam.angle = p.grid.theta_centre = angle;
  p.beam.x = angle == 0.0 ? 0.0 : -12.0;
  p.grid.energy_step = 0.1;
  return p;
}

/// Every plane's protons `rows` planes further on.
void shift(engine::RunResult& r, std::size_t rows) {
  const std::size_t values = rows * engine::Crossing::kCount;
  std::vector<double> moved(r.crossing.begin(), r.crossing.begin() + static_cast<std::ptrdiff_t>(values));
  moved.insert(moved.end(), r.crossing.begin(), r.crossing.end() - static_cast<std::ptrdiff_t>(values));
  r.crossing = moved;
}

}  // namespace

TEST("gate, longest way: the CSDA range in water, less behind bone, more beside air, infinite where the box ends") {
  const Problem water = pencil(0.0);
  CHECK_REL(test::longest_way(water), 40.80, 1e-3);
  CHECK_REL(test::longest_way(pencil(0.5)), 40.80, 1e-3);
  Problem p = water;
  p.materials.push_back(test::material("bone-compact-icru"));
  test::paint(p, 1, -20.0, 20.0, 10.0, 20.0);
  const double behind_bone = test::longest_way(p);
  CHECK(behind_bone < 40.8 - 10.0 * 0.6 && behind_bone > 40.8 - 10.0 * 0.9);  // 1.85 g/cm³
  p = water;
  p.materials.push_back(test::material("air"));
  test::paint(p, 1, 5.0, 7.0, 10.0, 12.0);
  CHECK_NEAR(test::longest_way(p), 42.8, 0.1);
  p = water;
  p.grid.nz /= 2;
  p.map.resize(p.map.size() / 2);
  CHECK(std::isinf(test::longest_way(p)));
  // The range grows faster than the energy: a spread adds to its mean.
  p = water;
  p.beam.energy_sigma = 1.4;
  CHECK_REL(test::longest_way(p) / test::longest_way(water), 1.0 + 0.5 * 1.75 * 0.75 * 0.02 * 0.02, 1e-4);
}

TEST("gate, mean range beyond the CSDA range: one plane of 0.2 mm too far is told, straight and tilted") {
  for (const double angle : {0.0, std::numbers::pi / 6.0}) {
    const Problem p = pencil(angle);
    test::Run run(p);
    engine::RunResult r = run.execute({});
    CHECK_EQ(test::beyond_longest_way(p, run.tables(), r), "");
    shift(r, 1);
    CHECK(test::contains(test::beyond_longest_way(p, run.tables(), r), "come no further than 40.8"));
  }
}

TEST("gate, longest way: of a tilted beam that loses one flank of its angles no mean range is told") {
  Problem p = test::water_problem(70.0, {36.0, 46.0, 0.5, 0.5}, 0.6, 0.02);
  p.stepping = Stepping::kDepth;
  p.variant = "depth";
  p.beam.angle = 0.3;
  p.beam.x = -6.0;
  p.grid.energy_step = p.grid.dz / std::cos(p.beam.angle);
  const auto mean = [](const Problem& of) {
    test::Run run(of);
    const engine::RunResult result = run.execute({});
    return test::mean_range(of, run.tables(), result, test::longest_way(of));
  };
  const double whole = mean(p).value();
  CHECK(whole < test::longest_way(p));
  p.grid.ntheta = 41;  // up to 0.4 rad: protons 0.1 rad off the axis have left
  CHECK(!mean(p).has_value());
}
