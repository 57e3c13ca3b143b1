// Scores of steps that are longer than a cell: no comb, nothing lost, and what a step of one cell gives.
#include "transport/run/step_spread.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "transport/run/run.hpp"

using namespace bb;
using namespace bb::transport;

namespace {

/// 30 MeV, steps of 0.25 mm over cells of a part of that.
Problem parted(int cells_per_step) {
  Problem p = test::water_problem(30.0, {8, 12, 0.5, 0.25 / cells_per_step}, 0.4, 0.04);
  p.step = 0.25;
  p.grid.energy_step = 0.25;
  return p;
}

std::vector<double> depth_dose(const engine::RunResult& r, const Tables& t, int together) {
  std::vector<double> out(static_cast<std::size_t>(t.nz / together), 0.0);
  for (std::size_t i = 0; i < r.dose.size(); ++i) {
    out[i / static_cast<std::size_t>(t.nx) / static_cast<std::size_t>(together)] += r.dose[i];
  }
  return out;
}

}  // namespace

TEST("cells of a third of the step: their sums are the doses of cells of a step, and every plane is crossed") {
  test::Run whole(parted(1)), thirds(parted(3));
  const engine::RunResult a = whole.execute({}), b = thirds.execute({});
  const std::vector<double> coarse = depth_dose(a, whole.tables(), 1), fine = depth_dose(b, thirds.tables(), 3);
  for (std::size_t i = 0; i < coarse.size(); ++i) CHECK_NEAR(fine[i], coarse[i], 0.01 * 30.0 / 35.0);
  CHECK_REL(std::accumulate(b.dose.begin(), b.dose.end(), 0.0), b.energy.back().deposited, 1e-12);
  for (int z = 0; z < 80; ++z) {  // of 8.8 mm
    // Planes are counted with the angle before a step, and passed with the one behind it: 0.14 % where it grows most.
    CHECK_REL(b.crossing[static_cast<std::size_t>(z) * engine::Crossing::kCount], 1.0, 2e-3);
  }
  const std::vector<double> cells = depth_dose(b, thirds.tables(), 1);
  for (std::size_t i = 3; i < 80; ++i) CHECK(std::abs(cells[i] - cells[i - 1]) < 0.2 * cells[i]);
}

TEST("cells of half a step: the step reaches half a cell further on both sides") {
  const Problem p = parted(2);
  const Tables t = build_tables(p);
  std::vector<double> dose(t.plane(), 0.0);
  const auto cell = [&](int z, int x) {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(t.nx) + static_cast<std::size_t>(x);
  };
  dose[cell(10, 4)] = 1.0;
  dose[cell(t.nz - 1, 4)] = 1.0;
  engine::StepSpread(p, t).dose(dose);
  CHECK_NEAR(dose[cell(9, 4)], 0.25, 1e-12);
  CHECK_NEAR(dose[cell(10, 4)], 0.5, 1e-12);
  CHECK_NEAR(dose[cell(11, 4)], 0.25, 1e-12);
  CHECK_NEAR(dose[cell(t.nz - 1, 4)], 0.75, 1e-12);
  CHECK_NEAR(std::accumulate(dose.begin(), dose.end(), 0.0), 2.0, 1e-12);
}

TEST("a tilted step: shares along the axis, moments carried aside with it") {
  Problem p = test::water_problem(30.0, {12, 12, 0.25, 0.25}, 0.4, 0.04);
  p.beam.angle = p.grid.theta_centre = std::acos(0.8);  // 0.8 in z and 0.6 in x of each step
  p.step = 0.625;                                       // two cells in z, one and a half in x
  const Tables t = build_tables(p);
  const engine::StepSpread spread(p, t);
  std::vector<double> dose(t.plane(), 0.0);
  const auto cell = [&](int z, int x) {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(t.nx) + static_cast<std::size_t>(x);
  };
  dose[cell(10, 20)] = 1.0;
  spread.dose(dose);
  // Borders at ±1/4 of the step in z and ±1/3 in x.
  CHECK_NEAR(dose[cell(10, 20)], 1.0 / 2.0, 1e-12);
  CHECK_NEAR(dose[cell(11, 20)], 1.0 / 12.0, 1e-12);
  CHECK_NEAR(dose[cell(11, 21)], 1.0 / 6.0, 1e-12);
  CHECK_NEAR(dose[cell(9, 19)], 1.0 / 6.0, 1e-12);

  using C = engine::Crossing;
  std::vector<double> crossing(static_cast<std::size_t>(t.nz) * C::kCount, 0.0);
  double* c = &crossing[10 * C::kCount];
  c[C::kN] = 1.0;
  c[C::kX] = 2.0;
  c[C::kXX] = 4.0;
  spread.crossing(crossing);
  c = &crossing[11 * C::kCount];
  CHECK_NEAR(c[C::kN], 0.25, 1e-12);
  // The part is from 1/4 to 1/2 of the step: 0.140625 mm sideways in its middle.
  CHECK_NEAR(c[C::kX] / c[C::kN], 2.0 + 0.375 * 0.375, 1e-12);
}
