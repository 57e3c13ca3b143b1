// Numbers that are read off a run, against values worked out by hand: the ledger, cuts of phase space, axis profiles.
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "../problems.hpp"
#include "check.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/axis_profile.hpp"
#include "transport/run/ledger.hpp"
#include "transport/run/projection.hpp"

using namespace bb;
using namespace bb::engine;

namespace {

/// Shows one row: columns 3, 4 and 5 of energy bin 1, angle bin 2, depth row 0.
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

TEST("ledger: each row holds the sums of every loss so far, and what they leave open") {
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

TEST("projection: a cut across reads the very column, at both ends of a stored row too") {
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

TEST("axis profile: a cell's energy is spread along a tilted axis as a trapezium, all of it within the bins") {
  // One cell of 1 mm by 1 mm with 2 MeV, seen at 30 degrees: along the axis its corners lie at -0.25, 0.25, 0.616 and
  // 1.116 mm, so that bins of 1 mm begin at -1 mm, and its centre at 0.433 mm. Depth and shadow, 1 and 0.5 mm, make a
  // trapezium of half width 0.75 mm and half flat 0.25 mm: (0.75 - 0.4330)² = 0.1005 of it lies below 0, and
  // (0.75 - 0.5670)² = 0.0335 above 1 mm.
  const std::vector<double> dose{2.0};
  transport::AxisGeometry g{
      .nz = 1, .nx = 1, .dz_mm = 1.0, .dx_mm = 1.0, .angle_rad = std::acos(-1.0) / 6.0, .reach_mm = 1.0};
  const transport::AxisProfile near = transport::axis_profile(dose, g, {}, 1.0);
  CHECK_EQ(near.start_mm, -1.0);
  CHECK_EQ(near.values.size(), 3u);
  for (const auto& [bin, share] : {std::pair{0u, 0.100481}, {1u, 0.866025}, {2u, 0.033494}}) {
    CHECK_NEAR(near.values[bin], 2.0 * share, 2e-6);
  }
  // A step of 3 mm reaches beyond the bins on either side: the outer ones take the rest. Half width 1.75 mm, half flat
  // 1.25 mm: below 0 lie 0.5 / 6 + (1.25 - 0.4330) / 3 = 0.3557, above 1 mm 0.5 / 6 + (1.25 - 0.5670) / 3 = 0.3110.
  g.reach_mm = 3.0;
  const transport::AxisProfile far = transport::axis_profile(dose, g, {}, 1.0);
  for (const auto& [bin, share] : {std::pair{0u, 0.355662}, {1u, 0.333333}, {2u, 0.311004}}) {
    CHECK_NEAR(far.values[bin], 2.0 * share, 2e-6);
  }
}
