// Gates of test/physics/gold.md on tilted beams and on other materials.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "../kernels/held_run.hpp"
#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"
#include "physics/stopping.hpp"

using namespace bb;
using namespace bb::transport;
using test::SolvedProblem;

namespace {

/// 150 MeV in water on the grid of assets/scenarios/bone-slab-150MeV.json, with range bins as fine as for several
/// materials.
Problem water_150(double depth, double dx = 0.5) {
  Problem p = test::water_problem(150.0, {40, depth, dx, 0.5}, 0.4, 0.005);
  p.grid.energy_step = 0.25;
  p.precision = Precision::kFp32;
  p.variant = "auto";
  return p;
}

/// Mean stopping power of a material relative to water's, for a proton that slows down from `energy` in it.
double relative_stopping(const Problem& p, int index, double energy, double thickness) {
  const Material& m = p.materials[static_cast<std::size_t>(index)];
  const physics::StoppingTable water(p.materials[0].energies, p.materials[0].stopping);
  const physics::StoppingTable other(m.energies, m.stopping);
  const double after = other.energy_at(other.range(energy) - 0.1 * thickness * m.density);
  return 10.0 * (water.range(energy) - water.range(after)) / thickness;
}

}  // namespace

TEST("long gate, beam at 45 degrees: R80 along its axis is within 0.5 mm of the straight beam's") {
  // The beam of assets/scenarios/tilted-45deg-70MeV.json on cells twice as large, and the same beam straight ahead.
  Problem straight = test::water_problem(70.0, {16, 46, 0.2, 0.2}, 0.4, 0.005);
  straight.precision = Precision::kFp32;
  straight.variant = "auto";
  Problem tilted = test::water_problem(70.0, {60, 40, 0.2, 0.2}, 0.4, 0.005);
  tilted.precision = Precision::kFp32;
  tilted.variant = "auto";
  tilted.beam.angle = tilted.grid.theta_centre = std::numbers::pi / 4.0;
  tilted.beam.x = -15.0;
  const test::Curve along = SolvedProblem(tilted).dose_along(-15.0, 0.0, std::numbers::pi / 4.0);
  const test::Curve ahead = SolvedProblem(straight).depth_dose();
  CHECK_NEAR(along.distal(0.8), ahead.distal(0.8), 0.5);
  // No protons are lost before half the range, so the plateaus per mm agree.
  CHECK_REL(along.at(20.0) / along.step, ahead.at(20.0) / ahead.step, 0.03);
}

TEST("long gate, bone slab: R80 is the water range minus 20 mm (RSP - 1), within 0.3 mm") {
  for (const Stepping stepping : {Stepping::kPath, Stepping::kDepth}) {
    Problem p = water_150(172);
    p.stepping = stepping;
    const double water = SolvedProblem(p).depth_dose().distal(0.8);
    p.materials.push_back(test::material("bone-compact-icru"));
    test::fill_region(p, 1, -50, 50, 40, 60);
    const physics::StoppingTable table(p.materials[0].energies, p.materials[0].stopping);
    const double energy = table.energy_at(table.range(150.0) - 4.0);
    const double rsp = relative_stopping(p, 1, energy, 20.0);
    const test::Curve dose = SolvedProblem(p).depth_dose();
    CHECK_NEAR(rsp, 1.70, 0.03);
    CHECK_NEAR(dose.distal(0.8), water - 20.0 * (rsp - 1.0), 0.3);
    // In units of water-equivalent range, straggling in bone equals that in water to a few per cent.
    CHECK_REL(dose.w80_20(), 2.224, 0.05);
  }
}

TEST("gate, slabs of other materials: R80 shifts by their water-equivalent thickness, within 0.3 mm") {
  const struct {
    const char* name;
    double scale, thickness;
  } slabs[] = {
      {"air", 1.0, 20}, {"muscle-skeletal", 0.25, 30}, {"aluminium", 1.0, 20}, {"lead", 1.0, 6}, {"pmma", 1.0, 40}};
  Problem background = water_150(202, 2.0);
  background.stepping = Stepping::kDepth;
  background.grid.dtheta *= 2.0;
  background.grid.ntheta = (background.grid.ntheta + 1) / 2;
  const double water = SolvedProblem(background).depth_dose().distal(0.8);
  for (const auto& slab : slabs) {
    Problem p = background;
    p.materials.push_back(test::material(slab.name, slab.scale));
    test::fill_region(p, 1, -50, 50, 20, 20 + slab.thickness);
    const physics::StoppingTable table(p.materials[0].energies, p.materials[0].stopping);
    const double rsp = relative_stopping(p, 1, table.energy_at(table.range(150.0) - 2.0), slab.thickness);
    CHECK_NEAR(SolvedProblem(p).depth_dose().distal(0.8), water - slab.thickness * (rsp - 1.0), 0.3);
  }
}

TEST("gate, bone edge: both ranges appear side by side behind half a slab") {
  Problem p = water_150(172);
  p.stepping = Stepping::kDepth;
  p.beam.x_sigma = 5.0;
  p.materials.push_back(test::material("bone-compact-icru"));
  test::fill_region(p, 1, 0, 50, 40, 60);
  const SolvedProblem o(p);
  const auto column = [&](double x) {
    const Tables& t = o.tables();
    test::Curve c{0.5 * t.dz, t.dz, {}};
    const int i = static_cast<int>(x / t.dx + 0.5 * t.nx);
    for (int z = 0; z < t.nz; ++z) c.value.push_back(o.result().dose[static_cast<std::size_t>(z * t.nx + i)]);
    return c;
  };
  CHECK_NEAR(column(-10.0).distal(0.8), 157.7, 0.8);
  CHECK_NEAR(column(10.0).distal(0.8), 143.3, 0.8);
}

// Every run in these gates checks that its mean range does not exceed the CSDA range, and reports an excess.

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

/// Moves every plane's protons by `rows` planes.
void shift(engine::RunResult& r, std::size_t rows) {
  const std::size_t values = rows * engine::Crossing::kCount;
  std::vector<double> moved(r.crossing.begin(), r.crossing.begin() + static_cast<std::ptrdiff_t>(values));
  moved.insert(moved.end(), r.crossing.begin(), r.crossing.end() - static_cast<std::ptrdiff_t>(values));
  r.crossing = moved;
}

}  // namespace

TEST(
    "gate, longest path: the CSDA range in water, shorter behind bone, longer next to air, infinite where the box "
    "ends") {
  const Problem water = pencil(0.0);
  CHECK_REL(test::longest_path(water), 40.80, 1e-3);
  CHECK_REL(test::longest_path(pencil(0.5)), 40.80, 1e-3);
  Problem p = water;
  p.materials.push_back(test::material("bone-compact-icru"));
  test::fill_region(p, 1, -20.0, 20.0, 10.0, 20.0);
  const double behind_bone = test::longest_path(p);
  CHECK(behind_bone < 40.8 - 10.0 * 0.6 && behind_bone > 40.8 - 10.0 * 0.9);  // bone: 1.85 g/cm³
  p = water;
  p.materials.push_back(test::material("air"));
  test::fill_region(p, 1, 5.0, 7.0, 10.0, 12.0);
  CHECK_NEAR(test::longest_path(p), 42.8, 0.1);
  p = water;
  p.grid.nz /= 2;
  p.map.resize(p.map.size() / 2);
  CHECK(std::isinf(test::longest_path(p)));
  // The range grows faster than linearly with energy, so that an energy spread increases its mean.
  p = water;
  p.beam.energy_sigma = 1.4;
  CHECK_REL(test::longest_path(p) / test::longest_path(water), 1.0 + 0.5 * 1.75 * 0.75 * 0.02 * 0.02, 1e-4);
}

TEST("gate, mean range beyond the CSDA range: a plane 0.2 mm too far is reported, straight and tilted") {
  for (const double angle : {0.0, std::numbers::pi / 6.0}) {
    const Problem p = pencil(angle);
    test::Run run(p);
    engine::RunResult r = run.execute({});
    CHECK_EQ(test::longest_path_error(p, run.tables(), r), "");
    shift(r, 1);
    CHECK(test::contains(test::longest_path_error(p, run.tables(), r), "come no further than 40.8"));
  }
}

TEST("gate, longest path: a tilted beam that loses one flank of its angles has no mean range") {
  Problem p = test::water_problem(70.0, {36.0, 46.0, 0.5, 0.5}, 0.6, 0.02);
  p.stepping = Stepping::kDepth;
  p.variant = "depth";
  p.beam.angle = 0.3;
  p.beam.x = -6.0;
  p.grid.energy_step = p.grid.dz / std::cos(p.beam.angle);
  const auto mean = [](const Problem& of) {
    test::Run run(of);
    const engine::RunResult result = run.execute({});
    return test::mean_range(of, run.tables(), result, test::longest_path(of));
  };
  const double whole = mean(p).value();
  CHECK(whole < test::longest_path(p));
  p.grid.ntheta = 41;  // up to 0.4 rad: protons 0.1 rad off the axis are lost
  CHECK(!mean(p).has_value());
}
