#include "beams.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "centre_angles.hpp"
#include "cpu/all_cores.hpp"
#include "cpu/host.hpp"
#include "cpu/stopwatch.hpp"
#include "cpu/thread_pool.hpp"
#include "cpu/user_library.hpp"
#include "step_spread.hpp"
#include "transport/model/work.hpp"
#include "transport/user_kernel.hpp"

namespace bb::engine {
namespace {

using transport::Beam;
using transport::Problem;
using transport::ProblemError;
using transport::Tables;

constexpr int kStepsAtOnce = 1024;   // steps between two looks at the cancel flag, at most
constexpr double kSameAngle = 1e-9;  // rad

Problem checked(Problem problem) {
  if (problem.spots.empty()) throw ProblemError("invalid", "beams: an empty list; allowed: at least one beam");
  if (problem.filled) throw ProblemError("invalid", "beams: initial.kind = filled has none");
  if (problem.nuclear != transport::Nuclear::kOff) {
    throw ProblemError("unsupported",
                       "physics.nuclear: what reactions leave follows from the depth of each beam, which "
                       "beams on one grid do not have apart; allowed: off, or a grid for each beam");
  }
  if (problem.track_scores || !problem.spectra.empty()) {
    throw ProblemError("unsupported",
                       "output: LET and energy spectra are not kept of beams on one grid; allowed: without "
                       "them, or a grid for each beam");
  }
  for (const Beam& beam : problem.spots) {
    if (std::abs(beam.angle - problem.beam.angle) > kSameAngle) {
      throw ProblemError("unsupported", "beam.angle_deg: beams on one grid go one way; allowed: the same for all");
    }
    if (!(beam.weight > 0.0)) throw ProblemError("invalid", "beam.weight = 0: nothing to solve; allowed: above 0");
  }
  problem.keyframes = 0;
  return problem;
}

/// Takes what tells one beam from another from its outline.
void take_beam(const Tables& alone, Tables& to) {
  to.start = alone.start;
  to.beam_range_mm = alone.beam_range_mm;
  to.spots_span_mm = alone.spots_span_mm;
  to.axis_steps = alone.axis_steps;
  to.end_excess_mm = alone.end_excess_mm;
  to.extra_straggling_mm = alone.extra_straggling_mm;
  to.row_spread_mm = alone.row_spread_mm;
}

}  // namespace

/// What all beams have in common, and how long it took.
struct Beams::Common {
  const Tables& tables;
  SolverFactory make;
  double setup_s = 0, flops_per_cell_step = 0;

  /// The result of one beam of `problem`, all but its times and its state's size. `scores` has no way in.
  RunResult result(const Problem& problem, const Tables& alone, BeamScores scores) const {
    RunResult out;
    out.isa = cpu::instruction_set_name();
    out.steps = static_cast<int>(scores.totals.size());
    out.cell_steps = scores.cell_steps;
    out.min_over_max = scores.min_over_max;
    out.flops_per_cell_step = flops_per_cell_step;
    Ledger ledger(alone.start);
    ledger.add(scores.totals);
    out.number = ledger.numbers();
    out.energy = ledger.energies();
    out.dose = std::move(scores.dose);
    out.crossing = std::move(scores.crossing);
    const StepSpread spread(problem, alone);
    spread.dose(out.dose);
    spread.crossing(out.crossing);
    centre_angles(problem, alone, out.crossing);
    return out;
  }
};

Beams::Beams(Problem problem) : run_(checked(std::move(problem))) {}

int Beams::lanes() const {
  return static_cast<int>(std::min(count(), static_cast<std::size_t>(cpu::thread_count(problem().threads))));
}

void Beams::execute(const std::function<void(Ended&&)>& ended) {
  const cpu::Clock::time_point begun = cpu::Clock::now();
  Tables tables;
  try {
    tables = run_.builder().build(cpu::on_all_cores, &cancel_);
  } catch (const transport::Cancelled&) {
    return;
  }
  const auto& variant = run_.variant();
  const Common common{.tables = tables,
                      .make = cpu::factory_of(variant, "transport", "", transport::kUserKernelLayout),
                      .setup_s = cpu::seconds_since(begun) / static_cast<double>(count()),
                      .flops_per_cell_step = transport::flops_per_cell_step(tables)};
  if (variant.make_beams != nullptr && common.make == variant.make) {
    solve_on_device(common, ended);
  } else {
    solve_on_cores(common, ended);
  }
}

void Beams::solve_on_device(const Common& common, const std::function<void(Ended&&)>& ended) {
  const cpu::Clock::time_point begun = cpu::Clock::now();
  const auto solver = run_.variant().make_beams(problem(), common.tables, run_.steps_max());
  const auto wave = static_cast<std::size_t>(solver->at_once());
  const double setup_s = common.setup_s + cpu::seconds_since(begun) / static_cast<double>(count());

  /// Beams in one of the solver's two slots: while these are under way, what the other ones have left is read.
  struct Wave {
    std::size_t first = 0;
    std::vector<Tables> beams;
    cpu::Clock::time_point begun;
  };
  std::array<Wave, 2> waves;
  std::size_t next = 0;
  const auto begin = [&](int slot) {
    Wave& w = waves[static_cast<std::size_t>(slot)];
    w.first = next;
    w.beams.assign(cancel_.load() ? 0 : std::min(wave, count() - next), {});
    if (w.beams.empty()) return;
    next += w.beams.size();
    cpu::on_all_cores(static_cast<int>(w.beams.size()), [&](int i) {
      w.beams[static_cast<std::size_t>(i)] = run_.builder().alone(w.first + static_cast<std::size_t>(i));
    });
    std::vector<const transport::Start*> starts;
    for (const Tables& each : w.beams) starts.push_back(&each.start);
    w.begun = cpu::Clock::now();
    solver->begin(slot, starts, w.beams.size() == count());
  };
  begin(0);
  begin(1);
  for (int slot = 0; !waves[static_cast<std::size_t>(slot)].beams.empty(); slot ^= 1) {
    Wave& w = waves[static_cast<std::size_t>(slot)];
    solver->finish(slot);
    const double seconds = cpu::seconds_since(w.begun) / static_cast<double>(w.beams.size());
    std::vector<RunResult> results(w.beams.size());
    cpu::on_all_cores(static_cast<int>(w.beams.size()), [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      Tables& beam = w.beams[at];
      run_.builder().describe(w.first + at, common.tables, beam);
      BeamScores scores = solver->scores(slot, at);
      const std::size_t row = static_cast<std::size_t>(beam.start.entry_z) * static_cast<std::size_t>(beam.nx);
      for (std::size_t x = 0; x < beam.start.entry_dose.size(); ++x) scores.dose[row + x] += beam.start.entry_dose[x];
      RunResult& result = results[at];
      result = common.result(problem(), beam, std::move(scores));
      result.setup_s = setup_s;
      result.solve_s = seconds;
      result.state_bytes = solver->state_bytes();
      result.bytes_per_cell_step = run_.variant().bytes_per_cell_step;
    });
    const std::size_t first = w.first;
    std::vector<Tables> beams = std::move(w.beams);
    begin(slot);
    for (std::size_t i = 0; i < results.size(); ++i) ended({first + i, std::move(results[i]), std::move(beams[i])});
  }
}

void Beams::solve_on_cores(const Common& common, const std::function<void(Ended&&)>& ended) {
  cpu::ThreadPool pool(run_.on_gpu() ? 1 : lanes());
  std::vector<std::optional<Tables>> tables(static_cast<std::size_t>(pool.lanes()));
  std::mutex telling;
  const auto solve = [&](std::size_t beam, std::optional<Tables>& held) -> std::optional<Ended> {
    const cpu::Clock::time_point begun = cpu::Clock::now();
    Ended out{.beam = beam, .result = {}, .alone = run_.builder().alone(beam)};
    run_.builder().describe(beam, common.tables, out.alone);
    if (!held) held = common.tables;
    take_beam(out.alone, *held);
    const auto solver = common.make(problem(), *held, 1);
    SpanRecorder spans(1);
    BeamScores scores;
    const double stop = problem().stop_weight * held->start.number_in;
    double in_flight = held->start.number_in;
    for (int step = 0; step < run_.steps_max() && in_flight > stop;) {
      const int done = solver->advance(std::min(run_.steps_max() - step, kStepsAtOnce), scores.totals, spans, cancel_);
      if (cancel_.load()) return std::nullopt;
      if (done == 0) break;
      step += done;
      in_flight = scores.totals.back().number.in_flight;
    }
    const auto assign = [](std::vector<double>& to, std::span<const double> from) {
      to.assign(from.begin(), from.end());
    };
    assign(scores.dose, solver->dose());
    assign(scores.crossing, solver->crossing());
    scores.min_over_max = solver->min_over_max();
    scores.cell_steps = solver->cell_steps();
    out.result = common.result(problem(), out.alone, std::move(scores));
    out.result.setup_s = common.setup_s;
    out.result.solve_s = cpu::seconds_since(begun);
    out.result.state_bytes = solver->state_bytes();
    const double moved = solver->bytes_per_cell_step();
    out.result.bytes_per_cell_step = moved > 0.0 ? moved : run_.variant().bytes_per_cell_step;
    return out;
  };
  pool.run(static_cast<int>(count()), [&](int task, int lane) {
    if (cancel_.load()) return;
    const auto beam = static_cast<std::size_t>(task);
    std::optional<Ended> out;
    try {
      out = solve(beam, tables[static_cast<std::size_t>(lane)]);
    } catch (const ProblemError& error) {
      out.emplace(Ended{.beam = beam, .result = {}, .alone = {}}).result.failure = {error.code(), error.what()};
    } catch (const std::bad_alloc&) {
      out.emplace(Ended{.beam = beam, .result = {}, .alone = {}}).result.failure = {
          "memory", "the machine has not enough memory for this beam"};
    }
    if (!out) return;
    const std::scoped_lock lock(telling);
    ended(std::move(*out));
  });
}

}  // namespace bb::engine
