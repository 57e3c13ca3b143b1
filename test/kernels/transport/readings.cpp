// Readouts of a run, compared with values calculated by hand: the ledger, cuts of phase space, axis profiles.
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/axis_profile.hpp"
#include "transport/run/ledger.hpp"
#include "transport/run/projection.hpp"
#include "transport/run/run.hpp"
#include "transport/run/step_spread.hpp"

using namespace bb;
using namespace bb::engine;

namespace {

/// Solver with one non-empty row: columns 3, 4 and 5 of energy bin 1, angle bin 2, depth row 0.
class OneRow final : public Solver {
 public:
  int advance(int, std::vector<StepTotals>&, SpanRecorder&, const std::atomic<bool>&) override { return 0; }
  void marginals(Marginals&) override {}
  bool visit(RowVisitor& visitor) const override {
    visitor.row(1, 2, 0, 3, std::span<const double>(cells_));
    return true;
  }
  std::span<const double> dose() override { return {}; }
  std::span<const double> crossing() override { return {}; }
  double min_over_max() const override { return 0.0; }
  double cell_steps() const override { return 0.0; }
  double state_bytes() const override { return 0.0; }

 private:
  std::vector<double> cells_{5.0, 6.0, 7.0};
};

}  // namespace

TEST("ledger: each row contains the sums of every loss so far, and the remaining error") {
  transport::Start start;
  start.number_in = 100.0;
  start.energy_in = 7000.0;
  start.missed[transport::kXLow] = 1.0;
  start.missed_energy[transport::kXLow] = 70.0;
  start.entry_deposit = 30.0;
  StepTotals first, second;
  first.number = {.in_flight = 90.0, .stopped = 2.0, .escaped = {}, .nuclear = 3.0, .skipped = 4.0};
  first.energy = {.in_flight = 6000.0, .stopped = 0.0, .escaped = {}, .nuclear = 200.0, .skipped = 280.0};
  first.deposited = 420.0;
  second.number = {.in_flight = 80.0, .stopped = 1.0, .escaped = {}, .nuclear = 5.0, .skipped = 0.5};
  second.escape(transport::kThetaHigh, 3.0, 60.0);
  second.deposited = 700.0;
  Ledger ledger(start);
  ledger.add({first, second});
  const LedgerRow& n = ledger.numbers()[0];
  CHECK_EQ(n.skipped, 4.0);
  CHECK_EQ(n.stopped, 2.0);
  CHECK_EQ(n.nuclear, 3.0);
  CHECK_EQ(n.escaped_x(), 1.0);
  CHECK_NEAR(n.rel_error, 0.0, 1e-15);                     // 90 + 2 + 1 + 3 + 4 = 100
  CHECK_NEAR(ledger.energies()[0].rel_error, 0.0, 1e-15);  // 6000 + 70 + 200 + 280 + 30 + 420 = 7000
  CHECK_EQ(ledger.energies()[0].skipped, 280.0);
  // 80 + 3 + 1 + 3 + 8 + 4.5 = 99.5: half a proton of 100 is missing.
  CHECK_EQ(ledger.numbers()[1].skipped, 4.5);
  CHECK_EQ(ledger.numbers()[1].stopped, 3.0);
  CHECK_EQ(ledger.numbers()[1].nuclear, 8.0);
  CHECK_EQ(ledger.numbers()[1].escaped_theta(), 3.0);
  CHECK_NEAR(ledger.numbers()[1].rel_error, 0.005, 1e-15);
  CHECK_EQ(ledger.energies()[1].escaped_theta(), 180.0);
}

TEST("projection: a cut across returns exactly that column, also at both ends of a stored row") {
  const transport::Problem p = test::water_problem(20.0, {8, 5, 0.5, 0.25}, 0.4, 0.04);
  const transport::Tables tables = transport::build_tables(p);
  OneRow solver;
  for (const auto& [column, wanted] : {std::pair{2, 0.0f}, {3, 5.0f}, {4, 6.0f}, {5, 7.0f}, {6, 0.0f}}) {
    PlaneRequest request;
    request.slow = Axis::kEnergy;
    request.fast = Axis::kTheta;
    request.cut = {PlaneRequest::kSummed, PlaneRequest::kSummed, PlaneRequest::kSummed, column};
    const std::vector<Plane> planes = project(solver, tables, {&request, 1});
    CHECK_EQ(planes[0].values[static_cast<std::size_t>(tables.ntheta) + 2], wanted);
  }
}

TEST("axis profile: the energy of a cell is spread along a tilted axis as a trapezium, completely within the bins") {
  // One cell of 1 mm by 1 mm with 2 MeV, seen at 30 degrees. Along the axis its corners are at -0.25, 0.25, 0.616 and
  // 1.116 mm, so that bins of 1 mm begin at -1 mm; its centre is at 0.433 mm. The projections of its sides, 1 and 0.5
  // mm, give a trapezium of half width 0.75 mm with a flat half width of 0.25 mm. Its part below 0 is (0.75 - 0.4330)²
  // = 0.1005, and its part above 1 mm is (0.75 - 0.5670)² = 0.0335.
  const std::vector<double> dose{2.0};
  transport::AxisGeometry g{
      .nz = 1, .nx = 1, .dz_mm = 1.0, .dx_mm = 1.0, .angle_rad = std::acos(-1.0) / 6.0, .reach_mm = 1.0};
  const transport::AxisProfile near = transport::axis_profile(dose, g, {}, 1.0);
  CHECK_EQ(near.start_mm, -1.0);
  CHECK_EQ(near.values.size(), 3u);
  for (const auto& [bin, share] : {std::pair{0u, 0.100481}, {1u, 0.866025}, {2u, 0.033494}}) {
    CHECK_NEAR(near.values[bin], 2.0 * share, 2e-6);
  }
  // A step of 3 mm extends beyond the bins on either side: the outer bins receive the remainder. The half width is 1.75
  // mm, the flat half width 1.25 mm. The part below 0 is 0.5 / 6 + (1.25 - 0.4330) / 3 = 0.3557, the part above 1 mm
  // 0.5 / 6 + (1.25 - 0.5670) / 3 = 0.3110.
  g.reach_mm = 3.0;
  const transport::AxisProfile far = transport::axis_profile(dose, g, {}, 1.0);
  for (const auto& [bin, share] : {std::pair{0u, 0.355662}, {1u, 0.333333}, {2u, 0.311004}}) {
    CHECK_NEAR(far.values[bin], 2.0 * share, 2e-6);
  }
}

TEST("axis profile: each cell's value is its dose times the factor, divided by its own divisor") {
  const transport::AxisGeometry along{.nz = 2, .nx = 2, .dz_mm = 0.5, .dx_mm = 1.0};
  const std::vector<double> dose{1.0, 6.0, 3.0, 0.0}, divisor{2.0, 3.0, 4.0, 5.0};
  const transport::AxisProfile profile = transport::axis_profile(dose, along, divisor, 10.0);
  // (10 / 2 + 60 / 3) / 0.5 and 30 / 4 / 0.5.
  CHECK_EQ(profile.values[0], 50.0);
  CHECK_EQ(profile.values[1], 15.0);
  // The cell of the trapezium above: 2 MeV times 10, divided by 4.
  const transport::AxisGeometry tilted{
      .nz = 1, .nx = 1, .dz_mm = 1.0, .dx_mm = 1.0, .angle_rad = std::acos(-1.0) / 6.0, .reach_mm = 1.0};
  const std::vector<double> one{2.0}, four{4.0};
  CHECK_NEAR(transport::axis_profile(one, tilted, four, 10.0).values[1], 5.0 * 0.866025, 1e-5);
}

// Scores of steps longer than a cell must show no comb pattern, lose nothing, and equal those with steps of one cell.

using namespace bb::transport;

namespace {

/// 30 MeV protons, steps of 0.25 mm over smaller cells.
Problem with_small_cells(int cells_per_step) {
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

TEST("cells of a third of the step: their sums equal the doses of step-sized cells, and every plane is crossed") {
  test::Run whole(with_small_cells(1)), thirds(with_small_cells(3));
  const engine::RunResult a = whole.execute({}), b = thirds.execute({});
  const std::vector<double> coarse = depth_dose(a, whole.tables(), 1), fine = depth_dose(b, thirds.tables(), 3);
  for (std::size_t i = 0; i < coarse.size(); ++i) CHECK_NEAR(fine[i], coarse[i], 0.01 * 30.0 / 35.0);
  CHECK_REL(std::accumulate(b.dose.begin(), b.dose.end(), 0.0), b.energy.back().deposited, 1e-12);
  for (int z = 0; z < 80; ++z) {  // range: 8.8 mm
    // Planes count protons with the angle before a step, but protons cross them with the angle after it. The difference
    // is up to 0.14 %.
    CHECK_REL(b.crossing[static_cast<std::size_t>(z) * engine::Crossing::kCount], 1.0, 2e-3);
  }
  const std::vector<double> cells = depth_dose(b, thirds.tables(), 1);
  for (std::size_t i = 3; i < 80; ++i) CHECK(std::abs(cells[i] - cells[i - 1]) < 0.2 * cells[i]);
}

TEST("cells of half a step: the step extends half a cell further on both sides") {
  const Problem p = with_small_cells(2);
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

TEST("a tilted step: shares along the axis, with moments shifted sideways") {
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
  // In units of the step, cell borders are at ±1/4 in z and ±1/3 in x.
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
  // This part of the step extends from 1/4 to 1/2, so its middle is 0.140625 mm to the side.
  CHECK_NEAR(c[C::kX] / c[C::kN], 2.0 + 0.375 * 0.375, 1e-12);
}
