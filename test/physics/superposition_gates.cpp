// Gates on fields: spots solved together must give the sum of the results of each alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../kernels/problems.hpp"
#include "check.hpp"
#include "observe.hpp"

namespace bb::test {
namespace {

using namespace transport;

/// Four spots in water behind a slab of bone, each with its own energy, position, angle, width and spread.
Problem field(Stepping stepping, EnergyGridKind kind = EnergyGridKind::kRange) {
  Problem p = water_problem(45.0, {26.0, 21.0, 0.5, 0.3}, 0.4, 0.04);
  p.stepping = stepping;
  p.variant = stepping == Stepping::kDepth ? "depth" : "window";
  p.nuclear = Nuclear::kAttenuation;
  p.threads = 1;  // sums over lanes depend on the tasks that each took
  p.stop_weight = 0.0;
  p.max_steps = 90;
  if (kind == EnergyGridKind::kUniform) {
    p.grid.energy_kind = kind;
    p.grid.energy_step = 0.3;
    p.grid.energy_min = 1.0;
  }
  p.materials.push_back(material("bone-compact-icru"));
  fill_region(p, 1, -13.0, 13.0, 3.0, 5.0);
  p.spots = {{.energy = 45.0,
              .energy_sigma = 0.0,
              .angle = 0.0,
              .angle_sigma = 0.0,
              .x = -3.0,
              .x_sigma = 1.2,
              .z = 0,
              .weight = 3.0},
             {.energy = 39.3,
              .energy_sigma = 0.4,
              .angle = 0.08,
              .angle_sigma = 0.01,
              .x = 2.0,
              .x_sigma = 1.0,
              .z = 0,
              .weight = 0.7},
             {.energy = 39.3,
              .energy_sigma = 0.4,
              .angle = -0.05,
              .angle_sigma = 0.0,
              .x = 3.5,
              .x_sigma = 1.5,
              .z = 0,
              .weight = 1.1},
             {.energy = 31.0,
              .energy_sigma = 0.0,
              .angle = 0.0,
              .angle_sigma = 0.0,
              .x = -3.0,
              .x_sigma = 1.2,
              .z = 0,
              .weight = 2.0}};
  return p;
}

double sum(const std::vector<double>& values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

/// The field with only one of its spots, on the same grid.
Problem only_spot(Problem p, std::size_t kept) {
  for (std::size_t i = 0; i < p.spots.size(); ++i) {
    if (i != kept) p.spots[i].weight = 0.0;
  }
  return p;
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST("fields: the solution for a sum of spots is the sum of their solutions, to 1e-6 of the largest dose") {
  struct GridCase {
    Stepping stepping;
    EnergyGridKind grid;
  };
  for (const auto& [stepping, grid] :
       {GridCase{Stepping::kDepth, EnergyGridKind::kRange}, GridCase{Stepping::kPath, EnergyGridKind::kRange},
        GridCase{Stepping::kDepth, EnergyGridKind::kUniform}}) {
    const Problem p = field(stepping, grid);
    const SolvedProblem all(p);
    std::vector<double> dose(all.result().dose.size());
    double deposited = 0.0, stopped = 0.0;
    for (std::size_t i = 0; i < p.spots.size(); ++i) {
      const SolvedProblem one(only_spot(p, i));
      for (std::size_t cell = 0; cell < dose.size(); ++cell) dose[cell] += one.result().dose[cell];
      deposited += one.result().energy.back().deposited;
      stopped += one.result().number.back().stopped;
    }
    const double highest = *std::ranges::max_element(all.result().dose);
    // The only nonlinear operator is the clamp of the remap in x. It acts on rows narrower than two cells, and at edges
    // of the grid and of matter next to the beam's path.
    const double difference = worst_difference(all.result().dose, dose) / highest;
    CHECK_NEAR(difference, 0.0, 1e-6);
    CHECK_REL(all.result().energy.back().deposited, deposited, 1e-6);
    CHECK_REL(all.result().number.back().stopped, stopped, 1e-6);
  }
}

TEST("fields: with linear remap, spots of any width add up within rounding, also next to bone") {
  Problem p = field(Stepping::kDepth);
  fill_region(p, 1, 2.0, 6.0, 5.0, 9.0);
  p.remap = Remap::kLinear;
  for (Beam& spot : p.spots) spot.x_sigma = 0.0;
  const SolvedProblem all(p);
  std::vector<double> dose(all.result().dose.size());
  for (std::size_t i = 0; i < p.spots.size(); ++i) {
    const SolvedProblem one(only_spot(p, i));
    for (std::size_t cell = 0; cell < dose.size(); ++cell) dose[cell] += one.result().dose[cell];
  }
  CHECK_NEAR(worst_difference(all.result().dose, dose), 0.0, 1e-13 * *std::ranges::max_element(dose));
}

TEST("fields: the ledger balances over spots, and the input is the sum of their weights and energies") {
  for (const Stepping stepping : {Stepping::kDepth, Stepping::kPath}) {
    for (const bool many : {false, true}) {
      Problem p = field(stepping);
      if (many) {  // so that spots of one spectrum are merged into a part
        const std::vector<Beam> few = p.spots;
        for (const double aside : {-2.0, 1.0, 4.9}) {
          for (Beam spot : few) {
            spot.x += aside;
            p.spots.push_back(spot);
          }
        }
      }
      double weight = 0.0, energy = 0.0;
      for (const Beam& spot : p.spots) {
        weight += spot.weight;
        energy += spot.weight * spot.energy;
      }
      const SolvedProblem o(p);
      CHECK_REL(o.tables().start.number_in, weight, 1e-12);
      CHECK_REL(o.tables().start.energy_in, energy, 1e-6);
      CHECK(o.result().number.back().rel_error < 1e-12);
      CHECK(o.result().energy.back().rel_error < 1e-12);
      CHECK_REL(sum(o.result().dose), o.result().energy.back().deposited, 1e-9);
      // There are more profiles than spectra, so the parts are the three spectra.
      CHECK_EQ(o.tables().start.parts.size(), std::size_t{3});
    }
  }
}

TEST("fields: the order of spots changes no bit") {
  Problem p = field(Stepping::kDepth);
  const SolvedProblem before(p);
  std::ranges::reverse(p.spots);
  std::swap(p.spots[1], p.spots[3]);
  const SolvedProblem after(p);
  CHECK(before.result().dose == after.result().dose);
  CHECK(before.result().crossing == after.result().crossing);
}

TEST("fields: a single spot equals the beam bit for bit") {
  for (const Stepping stepping : {Stepping::kDepth, Stepping::kPath}) {
    Problem p = field(stepping);
    p.beam = p.spots[2];
    p.grid.theta_centre = p.beam.angle;
    p.spots.clear();
    const SolvedProblem beam(p);
    p.spots = {p.beam};
    const SolvedProblem spot(p);
    CHECK(beam.result().dose == spot.result().dose);
    CHECK(beam.result().crossing == spot.result().crossing);
    CHECK_EQ(beam.result().energy.back().deposited, spot.result().energy.back().deposited);
    CHECK_EQ(beam.tables().start.x_variance, spot.tables().start.x_variance);
  }
}

TEST("fields: two halves of a spot equal the spot") {
  Problem p = field(Stepping::kDepth);
  const SolvedProblem whole(p);
  p.spots.push_back(p.spots[2]);
  p.spots[2].weight *= 0.25;
  p.spots[4].weight *= 0.75;
  const SolvedProblem halves(p);
  const double highest = *std::ranges::max_element(whole.result().dose);
  CHECK(worst_difference(whole.result().dose, halves.result().dose) < 1e-12 * highest);
}

TEST("fields: impossible spots are rejected with their values") {
  const auto with = [](auto&& change) {
    Problem p = field(Stepping::kDepth);
    change(p.spots);
    return p;
  };
  CHECK_THROWS(build_tables(with([](auto& spots) { spots[1].weight = -0.5; })), "-0.5");
  CHECK_THROWS(build_tables(with([](auto& spots) { spots[1].energy = 46.0; })), "46");
  CHECK_THROWS(build_tables(with([](auto& spots) { spots[1].energy = 1.0; })), "1.0");
  CHECK_THROWS(build_tables(with([](auto& spots) {
                 for (Beam& spot : spots) spot.weight = 0.0;
               })),
               "all spots have zero weight");
}

}  // namespace bb::test
