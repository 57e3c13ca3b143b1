// Many beams on one grid by every variant. Each beam must give the results of a run alone on that grid; the difference
// from a run on a grid of its own is limited too.
#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "transport/registry.hpp"
#include "transport/run/beams.hpp"
#include "transport/run/run.hpp"

namespace bb::test::many_beams {
namespace {

using namespace transport;

constexpr double kTop = 24.0;  // MeV

/// Beams with several energies, positions and widths in a box of water, with a bone off the axis. Variants that support
/// only layers get a bone layer instead. All beams but the first fit into the depth of the box.
Problem several_beams(Precision precision, Stepping stepping, const std::string& variant) {
  Problem p = water_problem(kTop, {12, 5.5, 0.5, 0.25}, 0.4, 0.08);
  p.materials.push_back(material("bone-compact-icru"));
  const bool layered = !std::ranges::find(variants(), variant, &Variant::id)->needs_operators;
  fill_region(p, 1, layered ? -6.0 : 1.0, layered ? 6.0 : 3.0, 1.0, 2.0);
  p.precision = precision;
  p.stepping = stepping;
  p.variant = variant;
  p.threads = 2;
  p.keyframes = 0;
  for (const double energy : {kTop, 22.0, 20.5, 17.0, 14.0, 21.0, 19.0}) {
    Beam beam = p.beam;
    beam.energy = energy;
    p.spots.push_back(beam);
  }
  p.spots[1].energy_sigma = 0.2;
  p.spots[2].x = 2.0;
  p.spots[3].x_sigma = 1.0;
  p.spots[4].weight = 5.0;
  p.spots[5].x = 6.0;  // on the border: half of the beam misses the grid
  p.spots[6].angle_sigma = 0.02;
  return p;
}

/// One beam alone on the common grid, because the others have weight 0.
engine::RunResult solve_alone(Problem p, std::size_t beam) {
  for (std::size_t i = 0; i < p.spots.size(); ++i) {
    if (i != beam) p.spots[i].weight = 0.0;
  }
  p.threads = 1;
  test::Run run(p);
  return run.execute({});
}

std::vector<test::Beams::FinishedBeam> solve(const Problem& p, std::vector<std::string> devices = {}) {
  test::Beams beams(p, std::move(devices));
  std::vector<test::Beams::FinishedBeam> out(p.spots.size());
  std::vector<int> calls(p.spots.size(), 0);
  beams.execute([&](test::Beams::FinishedBeam&& ended) {
    const std::size_t at = ended.beam;
    ++calls[at];
    out[at] = std::move(ended);
  });
  for (const int count : calls) CHECK_EQ(count, 1);
  return out;
}

double relative_l2(const std::vector<double>& got, const std::vector<double>& wanted) {
  double difference = 0.0, norm = 0.0;
  CHECK_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  return std::sqrt(difference / norm);
}

void compare(const Variant& v, Precision precision, Stepping stepping) {
  const Problem p = several_beams(precision, stepping, v.id);
  const auto together = solve(p);
  // Results may differ in their last digits. The order of sums on a device varies, which affects ψ if it is summed by
  // atomics. Teams of other sizes also cut a window's boxes differently.
  const std::string id = v.id;
  const bool psi_differs = v.make_beams != nullptr || id == "cuda-scatter" || id == "cuda-warp-reduced";
  const double tolerance = !on_gpu(v) ? 0.0 : psi_differs && precision == Precision::kFp32 ? 1e-6 : 1e-13;
  for (const test::Beams::FinishedBeam& ended : together) {
    const std::string where = "beam " + std::to_string(ended.beam) + ": ";
    CHECK(!ended.result.failure);
    const engine::RunResult wanted = solve_alone(p, ended.beam);
    const engine::RunResult& got = ended.result;
    CHECK_EQ(got.steps, wanted.steps);
    // A solver that processes beams one by one counts the work of each separately.
    if (!on_gpu(v)) {
      CHECK_EQ(got.cell_steps, wanted.cell_steps);
      CHECK_EQ(got.state_bytes, wanted.state_bytes);
    }
    const auto close = [&](const char* name, const std::vector<double>& a, const std::vector<double>& b) {
      const double error = relative_l2(a, b);
      if (!(error <= tolerance)) fail(__FILE__, __LINE__, where + name + " differs by " + show(error));
    };
    close("dose", got.dose, wanted.dose);
    close("crossing", got.crossing, wanted.crossing);
    CHECK_EQ(got.number.size(), wanted.number.size());
    const auto balanced = [&](const engine::LedgerRow& a, const engine::LedgerRow& b) {
      CHECK(std::abs(a.deposited - b.deposited) <= tolerance * b.in);
      CHECK(std::abs(a.escaped_all() - b.escaped_all()) <= tolerance * b.in);
      CHECK(std::abs(a.stopped - b.stopped) <= tolerance * b.in);
      CHECK(a.rel_error <= (precision == Precision::kFp32 ? 1e-6 : 1e-12));
    };
    balanced(got.number.back(), wanted.number.back());
    balanced(got.energy.back(), wanted.energy.back());
    CHECK(std::abs(got.min_over_max - wanted.min_over_max) <= tolerance);
  }
  CHECK(together[5].result.number.back().escaped[kXHigh] > 0.4);
  CHECK_NEAR(together[4].result.number.back().in, 5.0, 1e-12);
}

struct BeamsTests {
  BeamsTests() {
    for (const Variant& v : variants()) {
      for (const Precision precision : v.precisions) {
        for (const Stepping stepping : v.steppings) {
          names.push_back(std::string("beams together as each alone: ") + v.id +
                          (precision == Precision::kFp32 ? ", fp32" : ", fp64") +
                          (stepping == Stepping::kPath ? ", path stepping" : ", depth stepping"));
          const Registration registration(__FILE__, static_cast<int>(names.size()), names.back(),
                                          [&v, precision, stepping] {
                                            const std::string why = v.unavailable();
                                            if (!why.empty()) SKIP(why);
                                            compare(v, precision, stepping);
                                          });
        }
      }
    }
  }
  std::deque<std::string> names;
};

const BeamsTests tests;

void compare_reactions(const Problem& p) {
  constexpr double kTolerance = 1e-12;
  for (const test::Beams::FinishedBeam& ended : solve(p)) {
    CHECK(!ended.result.failure);
    const engine::RunResult wanted = solve_alone(p, ended.beam);
    CHECK(wanted.secondaries->local > 0.0);
    CHECK(ended.result.secondaries.has_value());
    CHECK_REL(ended.result.secondaries->local, wanted.secondaries->local, kTolerance);
    CHECK(relative_l2(ended.result.dose, wanted.dose) <= kTolerance);
    CHECK(ended.result.energy.back().rel_error <= 1e-10);
    CHECK_REL(ended.result.energy.back().deposited, wanted.energy.back().deposited, kTolerance);
  }
}

TEST("beams: moments follow the reactions of each beam as if it were alone") {
  Problem p = several_beams(Precision::kFp64, Stepping::kDepth, "moments");
  follow_reactions(p);
  compare_reactions(p);
}

TEST("beams: moments follow the reactions of tilted beams as if each were alone") {
  Problem p = several_beams(Precision::kFp64, Stepping::kDepth, "moments");
  follow_reactions(p);
  constexpr double kTilt = 0.15;  // rad
  p.beam.angle = kTilt;
  for (Beam& spot : p.spots) spot.angle = kTilt;
  compare_reactions(p);
}

TEST("beams: rows of the dose on request are those of the map, with and without products") {
  for (const bool reactions : {false, true}) {
    Problem p = several_beams(Precision::kFp64, Stepping::kDepth, "moments");
    if (reactions) follow_reactions(p);
    const auto maps = solve(p);
    test::Beams beams(p);
    CHECK(beams.has_rows());
    int solved = 0;
    beams.execute(
        [&](test::Beams::FinishedBeam&& ended) {
          ++solved;
          const std::vector<double>& map = maps[ended.beam].result.dose;
          const auto nx = static_cast<std::size_t>(p.grid.nx);
          CHECK(ended.result.dose.empty());
          std::vector<double> dose(map.size()), sums, wanted;
          for (int z = 0; z < p.grid.nz; ++z) {
            const auto row = std::span(dose).subspan(static_cast<std::size_t>(z) * nx, nx);
            ended.result.dose_rows->add(z, row);
            wanted.push_back(std::accumulate(row.begin(), row.end(), 0.0));
            sums.push_back(ended.result.dose_rows->sums()[static_cast<std::size_t>(z)]);
          }
          CHECK(relative_l2(dose, map) <= 1e-12);
          CHECK(relative_l2(sums, wanted) <= 1e-12);
          CHECK_REL(std::accumulate(sums.begin(), sums.end(), 0.0), ended.result.energy.back().deposited, 1e-10);
        },
        false);
    CHECK_EQ(solved, static_cast<int>(p.spots.size()));
  }
}

TEST("beams: with one device listed twice, each beam is solved once and equals the result of a single device") {
  for (const Variant& v : variants()) {
    if (v.make_beams == nullptr) continue;
    if (const std::string why = v.unavailable(); !why.empty()) SKIP(why);
    Problem p = several_beams(Precision::kFp64, v.steppings.front(), v.id);
    const auto once = solve(p), shared = solve(p, {"", ""});
    for (std::size_t i = 0; i < once.size(); ++i) {
      CHECK(relative_l2(shared[i].result.dose, once[i].result.dose) <= 1e-13);
    }
  }
}

TEST("beams: beams of a failed device are solved by the others; if there are none, its reason is reported") {
  for (const Variant& v : variants()) {
    if (v.make_beams == nullptr) continue;
    if (const std::string why = v.unavailable(); !why.empty()) SKIP(why);
    const Problem p = several_beams(Precision::kFp32, v.steppings.front(), v.id);
    CHECK(!solve(p, {"999", ""}).front().result.failure);
    CHECK_THROWS(solve(p, {"999", "998"}), "999");
  }
}

TEST("beams: after cancelling, finished beams are kept and no other beam starts") {
  Problem p = several_beams(Precision::kFp32, Stepping::kDepth, "depth");
  p.threads = 1;
  test::Beams beams(p);
  int ended = 0;
  beams.execute([&](test::Beams::FinishedBeam&& each) {
    CHECK(!each.result.failure);
    if (++ended == 2) beams.cancel();
  });
  CHECK_EQ(ended, 2);
}

TEST("beams: different angles, different reactions and beams of zero weight are rejected") {
  const Problem good = several_beams(Precision::kFp32, Stepping::kDepth, "depth");
  const auto refused = [&](auto change, const char* why) {
    Problem p = good;
    change(p);
    CHECK_THROWS(test::Beams(p), why);
  };
  refused([](Problem& p) { p.spots[1].angle = 0.1; }, "beams on one grid need the same direction");
  refused([](Problem& p) { p.nuclear = Nuclear::kAttenuation; }, "physics.nuclear");
  refused([](Problem& p) { p.spots[3].weight = 0.0; }, "nothing to solve");
  refused([](Problem& p) { p.spots.clear(); }, "at least one beam");
}

}  // namespace
}  // namespace bb::test::many_beams

namespace bb::test::beam_queue {
namespace {

using engine::BeamQueue;
using engine::BeamRange;

TEST("beam queue: neighbours are returned in order, fewer at the end, then none") {
  BeamQueue queue(5);
  const auto is = [](BeamRange got, std::size_t first, std::size_t count) {
    CHECK_EQ(got.count, count);
    if (count > 0) CHECK_EQ(got.first, first);
  };
  is(queue.take(2), 0, 2);
  is(queue.take(2), 2, 2);
  CHECK(!queue.empty());
  is(queue.take(2), 4, 1);
  CHECK(queue.empty());
  is(queue.take(2), 0, 0);
}

TEST("beam queue: returned beams are served next, and the others after them") {
  BeamQueue queue(10);
  const BeamRange lost = queue.take(4);
  queue.take(2);
  queue.put_back(lost);
  queue.put_back({});
  CHECK_EQ(queue.take(3).first, std::size_t{0});
  CHECK_EQ(queue.take(3).first, std::size_t{3});
  CHECK_EQ(queue.take(9).first, std::size_t{6});
  CHECK(queue.empty());
}

TEST("beam queue: many threads receive every beam once, even if some return theirs") {
  constexpr std::size_t kBeams = 5000;
  BeamQueue queue(kBeams);
  std::vector<std::vector<int>> taken(4, std::vector<int>(kBeams, 0));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < taken.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int turn = 0;; ++turn) {
        const BeamRange beams = queue.take(7);
        if (beams.count == 0) return;
        if (turn % 5 == 4) {
          queue.put_back(beams);
          continue;
        }
        for (std::size_t i = 0; i < beams.count; ++i) ++taken[t][beams.first + i];
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(queue.empty());
  for (std::size_t i = 0; i < kBeams; ++i) {
    int all = 0;
    for (const auto& mine : taken) all += mine[i];
    CHECK_EQ(all, 1);
  }
}

}  // namespace
}  // namespace bb::test::beam_queue
