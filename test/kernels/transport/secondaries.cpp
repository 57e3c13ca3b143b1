// Nuclear reactions with transported products: yields, the ledger, comparisons of variants with the reference, and
// rejected problems.
#include "transport/secondaries/secondaries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <string>

#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "transport/run/run.hpp"
#include "transport/secondaries/spread_planes.hpp"
#include "transport/secondaries/yields.hpp"

namespace bb::test::reactions {
namespace {

using namespace transport;

/// Bone with an edge inside water, grazed by a beam of 70 MeV.
Problem edge(Stepping stepping) {
  Problem p = test::water_problem(70.0, {48.0, 48.0, 1.5, 1.0}, 0.2, 0.04);
  p.materials.push_back(test::material("bone-compact-icru"));
  test::fill_region(p, 1, 0.0, 24.0, 10.0, 20.0);
  p.stepping = stepping;
  p.threads = 2;
  test::follow_reactions(p);
  return p;
}

engine::RunResult solve(Problem p, const std::string& variant, Precision precision = Precision::kFp64) {
  p.variant = variant;
  p.precision = precision;
  return test::Run(p).execute({});
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0, highest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    highest = std::max(highest, b[i]);
  }
  return most / highest;
}

double energy_of(const BinShares& shares, const std::vector<double>& energies) {
  double sum = 0.0;
  for (std::size_t i = 0; i < shares.number.size(); ++i) {
    sum += shares.number[i] * energies[static_cast<std::size_t>(shares.first) + i];
  }
  return sum;
}

}  // namespace

TEST("secondaries: a reaction emits the energy that it receives, in every material and bin") {
  Problem p = edge(Stepping::kDepth);
  p.beam.energy = 230.0;
  const TableBuilder builder(p);
  const Tables& tables = builder.outline();
  const SecondaryEnergies energies(tables.reactions, test::water());
  const auto nuclei = nuclear_tables(p);
  CHECK(nuclear_tables(p) == nuclei);  // parsed only once
  for (const char* name : {"water", "air", "lead", "bone-compact-icru", "pmma"}) {
    const NuclearMatter matter(test::material(name), *nuclei);
    const std::vector<int> nodes = emission_nodes(tables.reactions.bins);
    const NucleusYields nucleus_yields({&matter, 1}, energies, nodes, [](int n, const auto& task) {
      for (int i = 0; i < n; ++i) task(i);
    });
    const std::vector<Yield> yields = nucleus_yields.of(matter);
    CHECK_EQ(yields.size(), nodes.size());
    for (std::size_t node = 0; node < yields.size(); ++node) {
      const Yield& y = yields[node];
      const double taken = energies.proton[static_cast<std::size_t>(nodes[node])];
      const double energy =
          y.local + y.neutral + energy_of(y.protons, energies.proton) + energy_of(y.deuterons, energies.deuteron);
      CHECK_REL(energy, taken, 1e-9);
      CHECK(y.neutral >= -1e-9 * taken);
      double protons = y.wide + energy_of(y.ahead, energies.proton);
      for (const BinShares& aside : y.aside) protons += energy_of(aside, energies.proton);
      CHECK_NEAR(protons, energy_of(y.protons, energies.proton), 1e-9 * taken);
    }
    const std::vector<ElasticProducts> scattered = elastic_scattering(matter, energies);
    for (std::size_t b = 0; b < scattered.size(); ++b) {
      double energy = scattered[b].local;
      for (const auto& [angle, bin, number] : scattered[b].landings) {
        energy += number * energies.proton[static_cast<std::size_t>(bin)];
        CHECK(bin < scattered[b].reach[static_cast<std::size_t>(angle)]);
      }
      CHECK_REL(energy, energies.proton[b], 1e-9);
    }
  }
}

TEST("secondaries: spectra are computed at nodes from the lowest bin to the highest, spaced by a share of the range") {
  for (const int bins : {4, 20, 163, 700}) {
    const std::vector<int> nodes = emission_nodes(bins);
    CHECK_EQ(nodes.front(), 0);
    CHECK_EQ(nodes.back(), bins - 1);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      CHECK(nodes[i + 1] > nodes[i]);
      CHECK(nodes[i + 1] - nodes[i] <= std::max(1, nodes[i] / 12));
    }
  }
}

TEST("secondaries: cross sections of water agree with the tables and the formula") {
  Problem p = edge(Stepping::kDepth);
  const auto nuclei = nuclear_tables(p);
  const NuclearMatter water(test::material("water"), *nuclei);
  // At 100 MeV on oxygen: 0.297 b by ICRU 63 and 0.2047 b elastic beyond 5 degrees. Hydrogen: 0.00214 cm²/g.
  const double oxygen = 0.888106 * 0.602214 / 15.999;
  const physics::NuclearTable& table = (*nuclei)[2];
  CHECK_NEAR(table.emission(100.0).cross_section, 0.297, 1e-12);
  CHECK_REL(water.proton_proton(100.0), 0.315 * std::pow(100.0, -1.126) + 3.78e-4, 1e-9);
  CHECK_REL(water.removal(100.0), oxygen * (0.297 + table.deflection(100.0).cross_section) + water.proton_proton(100.0),
            1e-9);
}

TEST("secondaries: all variants have the dose of the reference, and the ledger closes") {
  for (const Stepping stepping : {Stepping::kDepth, Stepping::kPath}) {
    const Problem p = edge(stepping);
    const engine::RunResult reference = solve(p, "reference");
    CHECK(reference.secondaries.has_value());
    CHECK(reference.energy.back().rel_error <= 1e-12);
    const Secondaries& s = *reference.secondaries;
    CHECK(s.protons > 0.0 && s.deuterons > 0.0 && s.local > 0.0 && s.neutral > 0.0);
    const double dose = std::accumulate(reference.dose.begin(), reference.dose.end(), 0.0);
    CHECK_REL(dose, reference.energy.back().deposited, 1e-10);
    for (const char* variant :
         stepping == Stepping::kDepth ? std::vector{"depth", "gather", "scatter"} : std::vector{"fused", "window"}) {
      const engine::RunResult fp64 = solve(p, variant), fp32 = solve(p, variant, Precision::kFp32);
      CHECK(largest_difference(fp64.dose, reference.dose) <= 1e-12);
      CHECK(largest_difference(fp32.dose, reference.dose) <= 2e-5);
      CHECK(fp64.energy.back().rel_error <= 1e-12);
      CHECK(fp32.energy.back().rel_error <= 1e-6);
    }
  }
}

TEST("secondaries: errors in tables and compositions are reported with their position") {
  Problem p = edge(Stepping::kDepth);
  p.materials[1].elements = {{"Xx", 1.0}};
  CHECK_THROWS(build_tables(p), "composition of bone-compact-icru: no element has the symbol Xx");
  p.materials[1].elements.clear();
  CHECK_THROWS(build_tables(p), "the composition of bone-compact-icru is not known");
  p = edge(Stepping::kDepth);
  p.nuclear_texts = {{"mine.csv", std::make_shared<const std::string>("element,O,8,15.999\ninelastic,7,x,0.1\n")}};
  CHECK_THROWS(build_tables(p), "mine.csv:2: field 3 is x, not a number from 0 up");
  p.nuclear_texts = {
      {"mine.csv", std::make_shared<const std::string>("element,O,8,15.999\ninelastic,9,1,0.1\ninelastic,7,1,0.1\n")}};
  CHECK_THROWS(build_tables(p), "mine.csv:3: energies must be in ascending order");
}

TEST("secondaries: spreading groups over cells conserves every group and leaves no steps between them") {
  const std::vector<double> totals{4.0, 6.0, 8.0, 2.0}, widths(11, 0.5);
  const std::vector<std::int32_t> first{0, 3, 6, 9, 11};
  std::vector<double> cells(widths.size());
  spread_groups(totals, widths, first, cells);
  for (std::size_t k = 0; k < totals.size(); ++k) {
    CHECK_REL(std::accumulate(cells.begin() + first[k], cells.begin() + first[k + 1], 0.0), totals[k], 1e-12);
  }
  for (const double each : cells) CHECK(each >= 0.0);
  CHECK(cells[0] < cells[2] && cells[2] < cells[4]);  // no jumps between groups
}

TEST("secondaries: planes and bins follow the stopping power of the material in each row") {
  // 70 MeV in water: the CSDA range of 40.80 mm over 125 planes gives planes of 0.3264 mm, three rows of 0.1 mm. A row
  // of four times the density counts as four rows, one of a tenth as a tenth. Planes are at most ten times as long as
  // in water.
  Problem p = test::water_problem(70.0, {20.0, 24.0, 0.5, 0.1}, 0.2, 0.04);
  test::follow_reactions(p);
  p.materials.push_back(test::material("water", 4.0));
  p.materials.push_back(test::material("water", 0.01));
  const auto grid = [&] { return TableBuilder(p).outline().reactions; };
  const ReactionGrid water = grid();
  CHECK_EQ(water.rows(0), 3);
  CHECK_EQ(water.planes, 80);
  CHECK_NEAR(water.spacing, 0.03, 1e-12);
  CHECK_EQ(water.cells, 4);
  test::fill_region(p, 1, -10.0, 10.0, 6.0, 9.0);
  test::fill_region(p, 2, -10.0, 10.0, 9.0, 24.0);
  const ReactionGrid layered = grid();
  CHECK_EQ(layered.rows(0), 3);
  CHECK_EQ(layered.rows(layered.plane_of[70]), 1);
  CHECK_EQ(layered.rows(layered.plane_of[120]), 32);
  CHECK_EQ(layered.first_row.back(), 240);
  CHECK_NEAR(layered.spacing, 0.04, 1e-12);  // most planes consist of one row of 0.1 mm at four times the density
}

TEST("secondaries: products of a class travel as a cone in the plane") {
  // The class from 20 to 30 degrees: polar angle 25 degrees, sine 0.42262, cosine 0.90631. Azimuths of 15, 45, 75 … 165
  // degrees have the cosines ±0.96593, ±0.70711, ±0.25882, whose mean square is a half.
  const std::vector<ProductDirection> all = product_directions(0.0);
  CHECK_EQ(all.size(), 50u);
  CHECK_EQ(all[0].way, 1.0);
  CHECK_EQ(all[1].aside, 0.0);
  const std::span<const ProductDirection> cone = std::span(all).subspan(2 + 4 * 6, 6);
  const double wanted[] = {0.45042, 0.32973, 0.12069, -0.12069, -0.32973, -0.45042};
  double square = 0.0;
  for (std::size_t i = 0; i < cone.size(); ++i) {
    CHECK(cone[i].travels);
    CHECK_NEAR(cone[i].way, 1.10338, 1e-5);
    CHECK_NEAR(cone[i].aside, wanted[i], 1e-5);
    square += std::pow(cone[i].aside / cone[i].way, 2) / 6.0;
  }
  CHECK_NEAR(square, 0.5 * 0.42262 * 0.42262, 1e-5);
  // For a beam at 30 degrees, straight ahead is 1.1547 mm of path and 0.57735 mm to the side per mm of depth.
  CHECK_NEAR(product_directions(std::acos(-1.0) / 6.0)[0].way, 1.154701, 1e-6);
  CHECK_NEAR(product_directions(std::acos(-1.0) / 6.0)[1].aside, 0.577350, 1e-6);
}

TEST("secondaries: protons react at most along their residual range") {
  // Steps of 1 mm in matter of density 4. A proton with a residual range of 2 mm of water reacts along 2 mm, one with
  // 10 mm along 4 mm.
  Problem p = test::water_problem(70.0, {20.0, 45.0, 1.0, 1.0}, 0.2, 0.04);
  p.materials.push_back(test::material("water", 4.0));
  p.stepping = Stepping::kDepth;
  p.scattering = Scattering::kOff;
  test::follow_reactions(p);
  const Tables t = build_tables(p);
  const auto nuclei = nuclear_tables(p);
  const NuclearMatter water(test::material("water"), *nuclei);
  const int along = t.ntheta / 2;
  // Bins are 1 mm of water apart, and one of them has the energy of the beam.
  const auto top = std::ranges::find_if(t.energy, [](double e) { return e > 70.0 - 1e-6; }) - t.energy.begin();
  int looked_at = 0;
  for (const std::size_t e : std::views::iota(std::size_t{0}, static_cast<std::size_t>(t.ne))) {
    const double reacts_at = t.reactions.at[e];
    if (reacts_at <= 0.0) continue;
    const double left = test::water().range(70.0) - 0.1 * static_cast<double>(top - static_cast<std::ptrdiff_t>(e));
    const double way = std::min(0.4, left);
    CHECK_REL(t.nuclear[t.row(along, 1, static_cast<int>(e))], 1.0 - std::exp(-water.removal(reacts_at) * way), 1e-6);
    looked_at += left < 0.39 ? 1 : 0;
  }
  CHECK(looked_at >= 1);
}

TEST("secondaries: transport with reactions scales exactly with density") {
  // Water of eight times the density with an eighth of the lengths is the same problem: all quantities per mass and
  // area are equal.
  const auto curve = [](double scale) {
    Problem p = test::water_problem(70.0, {48.0 / scale, 48.0 / scale, 1.5 / scale, 0.5 / scale}, 0.2, 0.04);
    p.materials.push_back(test::material("water", scale));
    std::ranges::fill(p.map, 1);
    p.grid.energy_step = 0.25;
    p.stepping = Stepping::kDepth;
    test::follow_reactions(p);
    return solve(p, "depth").dose;
  };
  CHECK(largest_difference(curve(8.0), curve(1.0)) <= 1e-9);
}

}  // namespace bb::test::reactions
