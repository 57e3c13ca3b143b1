// Track scores of runs, from which LET and spectra follow, in every variant on the CPU.
#include "transport/model/track_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "../held_run.hpp"
#include "../problems.hpp"
#include "check.hpp"
#include "physics/track_moments.hpp"
#include "transport/cpu/slice.hpp"
#include "transport/run/run.hpp"

namespace bb::test::track_scores {
namespace {

using namespace transport;

/// Bone with an edge inside water.
Problem edge(Stepping stepping) {
  Problem p = test::water_problem(70.0, {48.0, 48.0, 1.5, 1.0}, 0.2, 0.04);
  p.materials.push_back(test::material("bone-compact-icru"));
  test::fill_region(p, 1, 0.0, 24.0, 10.0, 20.0);
  p.stepping = stepping;
  p.threads = 2;
  p.track_scores = true;
  p.spectra = {12.3, 35.0, 12.9};
  return p;
}

struct ScoredRun {
  Tables tables;
  engine::RunResult result;
};

ScoredRun solved(Problem p, const std::string& variant, Precision precision = Precision::kFp64) {
  p.variant = variant;
  p.precision = precision;
  test::Run run(p);
  engine::RunResult result = run.execute({});
  return {run.tables(), std::move(result)};
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::span<const double> field(const std::vector<double>& fields, const Tables& t, std::size_t k) {
  return std::span(fields).subspan(k * t.plane(), t.plane());
}

}  // namespace

TEST("tracks: all variants have the moments and spectra of the reference") {
  for (const Stepping stepping : {Stepping::kDepth, Stepping::kPath}) {
    const ScoredRun reference = solved(edge(stepping), "reference");
    const engine::TrackResult& wanted = *reference.result.tracks;
    std::vector<std::string> variants{"scatter", "gather"};
    variants.push_back(stepping == Stepping::kDepth ? "depth" : "window");
    if (stepping == Stepping::kPath) variants.push_back("fused");
    for (const std::string& variant : variants) {
      for (const Precision precision : {Precision::kFp64, Precision::kFp32}) {
        const ScoredRun other = solved(edge(stepping), variant, precision);
        const double tolerance = precision == Precision::kFp64 ? 1e-9 : 1e-5;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto want = field(wanted.primary, reference.tables, k);
          const auto got = field(other.result.tracks->primary, other.tables, k);
          const double most = *std::ranges::max_element(want);
          for (std::size_t i = 0; i < want.size(); ++i) CHECK_NEAR(got[i], want[i], tolerance * most);
        }
        const double most = *std::ranges::max_element(wanted.spectra);
        for (std::size_t i = 0; i < wanted.spectra.size(); ++i) {
          CHECK_NEAR(other.result.tracks->spectra[i], wanted.spectra[i], tolerance * most);
        }
      }
    }
  }
}

TEST("tracks: their sums are the range, the energy and the integral of stopping power of the beam's protons") {
  Problem p = test::water_problem(100.0, {40.0, 90.0, 2.0, 0.5}, 0.3, 0.02);
  p.stepping = Stepping::kDepth;
  p.variant = "depth";
  p.track_scores = true;
  const ScoredRun run = solved(p, "depth");
  const physics::TrackMoments moments(test::water(), test::water(), 1.0);
  const auto& primary = run.result.tracks->primary;
  // Without reactions all protons stop inside. Straggling preserves the mean of the range, but not of the squared
  // energy.
  CHECK_REL(sum(field(primary, run.tables, 0)), moments.at(0, 100.0), 2e-3);
  CHECK_REL(sum(field(primary, run.tables, 1)), moments.at(1, 100.0), 2e-3);
  CHECK_REL(sum(field(primary, run.tables, 2)), moments.at(2, 100.0), 2e-3);
  // Without reactions, the dose in water equals the second moment.
  const auto energy = field(primary, run.tables, 1);
  for (std::size_t i = 0; i < energy.size(); i += 7) {
    CHECK_NEAR(energy[i], run.result.dose[i], 2e-3 * *std::ranges::max_element(run.result.dose));
  }
}

TEST("tracks: spectra add up to the fluence of their plane, and have the beam's energy") {
  for (const Stepping stepping : {Stepping::kDepth, Stepping::kPath}) {
    const ScoredRun run = solved(edge(stepping), stepping == Stepping::kDepth ? "depth" : "window");
    const Tables& t = run.tables;
    CHECK_EQ(t.tracks.rows, (std::vector<int>{12, 35}));
    const auto length = field(run.result.tracks->primary, t, 0);
    for (std::size_t i = 0; i < t.tracks.rows.size(); ++i) {
      const auto spectrum = std::span(run.result.tracks->spectra).subspan(i * t.tracks.ne, t.tracks.ne);
      const std::size_t row = static_cast<std::size_t>(t.tracks.rows[i]) * static_cast<std::size_t>(t.nx);
      CHECK_REL(sum(spectrum), sum(length.subspan(row, static_cast<std::size_t>(t.nx))), 1e-6);
    }
    // At 12.5 mm, half of the beam is in water. The other half has been in bone since 10 mm.
    const auto spectrum = std::span(run.result.tracks->spectra).first(t.tracks.ne);
    double mean = 0.0;
    for (std::size_t e = 0; e < t.tracks.ne; ++e) mean += spectrum[e] * t.tracks.at[e];
    mean /= sum(spectrum);
    const double in_water = test::water().energy_at(test::water().range(70.0) - 1.25);
    CHECK(mean < in_water && mean > in_water - 3.0);
  }
}

TEST("tracks: protons from reactions count only among all protons, not among primaries") {
  Problem p = edge(Stepping::kDepth);
  test::follow_reactions(p);
  const ScoredRun run = solved(p, "depth");
  const engine::TrackResult& tracks = *run.result.tracks;
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(sum(field(tracks.protons, run.tables, k)) > 1.005 * sum(field(tracks.primary, run.tables, k)));
  }
  // In water, the second moment is the energy deposited by transported protons and by part of the locally deposited
  // energy.
  Problem water = test::water_problem(70.0, {48.0, 48.0, 1.5, 1.0}, 0.2, 0.04);
  water.stepping = Stepping::kDepth;
  water.track_scores = true;
  test::follow_reactions(water);
  const ScoredRun in_water = solved(water, "depth");
  const double secondary = sum(field(in_water.result.tracks->protons, in_water.tables, 1)) -
                           sum(field(in_water.result.tracks->primary, in_water.tables, 1));
  const Secondaries& products = *in_water.result.secondaries;
  CHECK(secondary > products.protons && secondary < products.protons + 0.3 * products.local);
}

TEST("tracks: nothing is scored without a request; invalid depths and variants without LET are rejected") {
  Problem p = edge(Stepping::kPath);
  p.track_scores = false;
  CHECK(!solved(p, "window").result.tracks.has_value());
  p.track_scores = true;
  p.spectra = {48.0};
  CHECK_THROWS(test::Run(p), "output.spectra_mm: 48");
  p.spectra = {10.0};
  p.step = 2.0;
  CHECK_THROWS(test::Run(p), "longer than cells");
  p.variant = "cuda-fused";
  p.step = 1.0;
  CHECK_THROWS(test::Run(p), "does not score LET");
}

TEST("tracks: steps without scoring are compiled without it, whatever the tables contain") {
  const Problem p = edge(Stepping::kDepth);
  const Tables t = build_tables(p);
  const TablesByBin<double> typed(t);
  const SliceOps<double>& ops = slice_ops<double>();
  const SliceContext<double> context{&t, &typed, true, t.start.z};
  Slice<double> slice;
  slice.shape({0, 1, 0, t.ntheta, 0, t.nx});
  std::vector<double> cells(slice.size(), 1.0);
  slice.data = cells.data();
  DeferredScores<double> left(t.ne - 1, slice, true, t.start.z);
  std::vector<double> rows(left.size()), fields(kScorePlanes * t.plane()), tracks(t.tracks.size());
  left.rows = rows.data();
  const Tile all{0, t.nz, 0, t.nx};
  const auto scored = [&](int with, double* to) {
    ops.score[with](context, slice, left, to);
    ops.add_deferred[with](context, &left, 1, all, {fields.data(), nullptr, to});
    return sum(fields);
  };
  // Without track scores, no array of them may be accessed.
  const double without = scored(0, nullptr);
  std::ranges::fill(fields, 0.0);
  CHECK_EQ(scored(1, tracks.data()), without);
  CHECK(sum(tracks) > 0.0);
}

}  // namespace bb::test::track_scores
