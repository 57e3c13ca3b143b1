// Sums do not depend on the number of threads, their timing, or readings during the run.
#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "../problems.hpp"
#include "check.hpp"
#include "transport/registry.hpp"
#include "transport/run/run.hpp"
#include "transport/secondaries/secondaries.hpp"

namespace bb::test::same_sums {
namespace {

using namespace transport;

constexpr std::array kThreads{2, 3, 8};
constexpr int kRepeats = 4;  // runs of each: threads take tasks in varying order

/// Bone with an edge inside water, whose reactions, tracks and spectra are scored.
Problem edge(Stepping stepping, Precision precision) {
  Problem p = water_problem(20.0, {8.0, 5.5, 0.5, 0.25}, 0.3, 0.05);
  p.materials.push_back(material("bone-compact-icru"));
  fill_region(p, 1, 0.0, 4.0, 1.0, 3.0);
  follow_reactions(p);
  p.stepping = stepping;
  p.precision = precision;
  p.track_scores = true;
  p.spectra = {1.3, 3.1};
  return p;
}

struct RunScores {
  std::vector<double> dose, crossing, reactions, tracks, ledger;
  Secondaries secondaries;
};

void append(const engine::StepTotals::Side& side, std::vector<double>& to) {
  to.insert(to.end(), {side.in_flight, side.stopped, side.nuclear, side.skipped});
  to.insert(to.end(), side.escaped.begin(), side.escaped.end());
}

RunScores solved(const Problem& p, const Tables& tables, const Variant& variant, int threads, bool watched) {
  const auto solver = variant.make(p, tables, threads);
  engine::SpanRecorder spans(threads);
  const std::atomic<bool> cancel{false};
  RunScores out;
  std::vector<engine::StepTotals> totals;
  for (double left = 1.0; left > 1e-6 * tables.start.number_in; left = totals.back().number.in_flight) {
    solver->advance(1, totals, spans, cancel);
    if (!watched) continue;
    CHECK(!solver->dose().empty() && !solver->crossing().empty());
    CHECK(!solver->reactions().empty() && !solver->tracks().empty());
  }
  for (const engine::StepTotals& step : totals) {
    append(step.number, out.ledger);
    append(step.energy, out.ledger);
    out.ledger.push_back(step.deposited);
  }
  const auto copied = [](std::span<const double> from) { return std::vector<double>(from.begin(), from.end()); };
  out.dose = copied(solver->dose());
  out.crossing = copied(solver->crossing());
  out.reactions = copied(solver->reactions());
  out.tracks = copied(solver->tracks());
  out.secondaries = follow_secondaries(p, tables, out.reactions, threads);
  return out;
}

bool same(const Secondaries& a, const Secondaries& b) {
  return a.dose == b.dose && a.tracks == b.tracks && a.local == b.local && a.protons == b.protons &&
         a.deuterons == b.deuterons && a.neutral == b.neutral && a.escaped == b.escaped;
}

/// Compares two results bit by bit, and counts the differences.
void compare(const RunScores& one, const RunScores& wanted, std::array<int, 6>& different) {
  different[0] += one.dose != wanted.dose;
  different[1] += one.crossing != wanted.crossing;
  different[2] += one.reactions != wanted.reactions;
  different[3] += one.tracks != wanted.tracks;
  different[4] += one.ledger != wanted.ledger;
  different[5] += !same(one.secondaries, wanted.secondaries);
}

void check_variant(const std::string& id, Stepping stepping, Precision precision) {
  const Problem p = edge(stepping, precision);
  const Tables tables = build_tables(p);
  const Variant& variant = *std::ranges::find(variants(), std::string_view(id), &Variant::id);
  const RunScores wanted = solved(p, tables, variant, 1, false);
  std::array<int, 6> different{};
  for (const int threads : kThreads) {
    for (int i = 0; i < kRepeats; ++i) compare(solved(p, tables, variant, threads, i % 2 == 1), wanted, different);
  }
  for (const int times : different) CHECK_EQ(times, 0);
}

}  // namespace

TEST("sums: the same bits for any number of threads, watched or not, in windows") {
  check_variant("depth", Stepping::kDepth, Precision::kFp32);
  check_variant("depth", Stepping::kDepth, Precision::kFp64);
  check_variant("window", Stepping::kPath, Precision::kFp32);
}

TEST("sums: the same bits for any number of threads, watched or not, on the full grid") {
  check_variant("fused", Stepping::kPath, Precision::kFp32);
  check_variant("gather", Stepping::kPath, Precision::kFp32);
  check_variant("gather", Stepping::kDepth, Precision::kFp64);
}

TEST("sums: atomic additions give the same bits on one thread, watched or not") {
  const Problem p = edge(Stepping::kDepth, Precision::kFp64);
  const Tables tables = build_tables(p);
  const Variant& variant = *std::ranges::find(variants(), std::string_view("scatter"), &Variant::id);
  std::array<int, 6> different{};
  compare(solved(p, tables, variant, 1, true), solved(p, tables, variant, 1, false), different);
  for (const int times : different) CHECK_EQ(times, 0);
}

}  // namespace bb::test::same_sums
