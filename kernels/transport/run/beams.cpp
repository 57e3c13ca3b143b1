#include "beams.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cpu/host.hpp"
#include "cpu/stopwatch.hpp"
#include "cpu/thread_pool.hpp"
#include "cpu/user_library.hpp"
#include "execution.hpp"
#include "step_spread.hpp"
#include "transport/model/entry/start.hpp"
#include "transport/model/work.hpp"
#include "transport/user_kernel.hpp"

namespace bb::engine {
namespace {

using transport::Beam;
using transport::Problem;
using transport::ProblemError;
using transport::Tables;

constexpr int kStepsAtOnce = 1024;     // maximum number of steps between checks of the cancel flag
constexpr double kSameAngle = 1e-9;    // rad
constexpr double kSameEnergy = 1e-12;  // share

Problem checked(Problem problem) {
  if (problem.spots.empty()) throw ProblemError("invalid", "beams: an empty list; allowed: at least one beam");
  if (problem.filled)
    throw ProblemError("invalid", "beams: initial.kind = filled has none; allowed: initial.kind = beam");
  if (problem.track_scores || !problem.spectra.empty()) {
    throw ProblemError("unsupported",
                       "output: LET and energy spectra are not recorded for beams on one grid; allowed: neither of "
                       "them, or a separate grid for each beam");
  }
  for (const Beam& beam : problem.spots) {
    if (std::abs(beam.angle - problem.beam.angle) > kSameAngle) {
      throw ProblemError("unsupported",
                         "beam.angle_deg: beams on one grid need the same direction; allowed: one angle for all");
    }
    if (!(beam.weight > 0.0))
      throw ProblemError("invalid", "beam.weight = 0: there is nothing to solve; allowed: above 0");
  }
  problem.keyframes = 0;
  return problem;
}

/// Rejects reactions that need data of each beam, if the tables are shared by all beams and lack these data.
void check_reactions(const Run& run) {
  const transport::Variant& v = run.variant();
  if (run.problem().nuclear == transport::Nuclear::kOff || (!v.needs_operators && v.make_beams == nullptr)) return;
  throw ProblemError("unsupported",
                     std::string("physics.nuclear: reactions depend on the depth of each beam, which tables shared by "
                                 "all beams do not contain with solver.variant = ") +
                         v.id + "; allowed: off, solver.variant = moments, or a separate grid for each beam");
}

/// Copies the fields of an outline that differ between beams.
void copy_beam_fields(const Tables& alone, Tables& to) {
  to.start = alone.start;
  to.beam_range_mm = alone.beam_range_mm;
  to.spots_span_mm = alone.spots_span_mm;
  to.axis_steps = alone.axis_steps;
  to.end_excess_mm = alone.end_excess_mm;
  to.extra_straggling_mm = alone.extra_straggling_mm;
  to.row_spread_mm = alone.row_spread_mm;
}

/// The sum of two doses.
class SumOfRows final : public transport::DoseRows {
 public:
  using Part = std::shared_ptr<const transport::DoseRows>;
  SumOfRows(Part a, Part b) : a_(std::move(a)), b_(std::move(b)), sums_(a_->sums().begin(), a_->sums().end()) {
    const std::span<const double> others = b_->sums();
    for (std::size_t z = 0; z < sums_.size(); ++z) sums_[z] += others[z];
  }
  std::span<const double> sums() const override { return sums_; }
  void add(int z, std::span<double> cells) const override {
    a_->add(z, cells);
    b_->add(z, cells);
  }

 private:
  Part a_, b_;
  std::vector<double> sums_;
};

}  // namespace

/// State shared by all beams, and the time that building it took.
struct Beams::Common {
  const Tables& tables;
  SolverFactory make;
  double setup_s = 0, flops_per_cell_step = 0;
  bool operators = true;  // whether steps use the operators of the tables; otherwise scores are those of whole cells

  /// Result of one beam of `problem`, except its times and the size of its state. `scores` do not include the entry
  /// path.
  RunResult result(const Problem& problem, const Tables& alone, BeamScores scores) const {
    RunResult out;
    out.isa = cpu::instruction_set_name();
    out.steps = static_cast<int>(scores.totals.size());
    out.cell_steps = scores.cell_steps;
    out.min_over_max = scores.min_over_max;
    out.flops_per_cell_step = flops_per_cell_step;
    Ledger ledger(alone.start);
    ledger.add(scores.totals);
    if (scores.secondaries) ledger.close(*scores.secondaries);
    out.number = ledger.numbers();
    out.energy = ledger.energies();
    out.dose = std::move(scores.dose);
    out.dose_rows = std::move(scores.rows);
    out.crossing = std::move(scores.crossing);
    if (scores.secondaries) {
      if (out.dose_rows) out.dose_rows = std::make_shared<SumOfRows>(out.dose_rows, scores.secondaries->rows);
      for (std::size_t i = 0; i < out.dose.size(); ++i) out.dose[i] += scores.secondaries->dose[i];
      out.secondaries = std::move(*scores.secondaries);
    }
    if (!operators) return out;
    const StepSpread spread(problem, alone);
    spread.dose(out.dose);
    spread.crossing(out.crossing);
    centre_angles(problem, alone, out.crossing);
    return out;
  }
};

Beams::Beams(Problem problem, std::vector<std::string> devices)
    : devices_(std::move(devices)), run_(checked(std::move(problem))) {
  check_reactions(run_);
  if (devices_.empty()) devices_.push_back(run_.problem().device);
}

int Beams::lanes() const {
  return static_cast<int>(std::min(count(), static_cast<std::size_t>(cpu::thread_count(problem().threads))));
}

void Beams::execute(const std::function<void(FinishedBeam&&)>& ended, bool maps) {
  const cpu::Clock::time_point begun = cpu::Clock::now();
  const auto& variant = run_.variant();
  Tables tables;
  try {
    tables = variant.needs_operators ? run_.builder().build(cpu::on_all_cores, &cancel_) : run_.builder().build_axes();
  } catch (const transport::Cancelled&) {
    return;
  }
  const Common common{.tables = tables,
                      .make = cpu::factory_of(variant, "transport", "", transport::kUserKernelLayout),
                      .setup_s = cpu::seconds_since(begun) / static_cast<double>(count()),
                      .flops_per_cell_step = variant.needs_operators ? transport::flops_per_cell_step(tables)
                                                                     : variant.flops_per_cell_step,
                      .operators = variant.needs_operators};
  if (variant.make_beams != nullptr && common.make == variant.make) {
    solve_on_devices(common, ended);
  } else {
    solve_on_cores(common, ended, maps);
  }
}

bool Beams::has_rows() const {
  const transport::Variant& v = run_.variant();
  return !v.needs_operators && std::ranges::none_of(transport::spots_of(problem()), transport::is_tilted) &&
         cpu::factory_of(v, "transport", "", transport::kUserKernelLayout) == v.make;
}

bool Beams::has_readouts() const {
  const transport::Variant& v = run_.variant();
  return v.make_readouts != nullptr && problem().nuclear != transport::Nuclear::kIcru63 &&
         std::ranges::none_of(transport::spots_of(problem()), transport::is_tilted) &&
         cpu::factory_of(v, "transport", "", transport::kUserKernelLayout) == v.make;
}

BeamTable Beams::readouts(std::span<const Beam> beams, bool curves) {
  const transport::Variant& v = run_.variant();
  if (!has_readouts()) {
    throw ProblemError("unsupported", std::string("readouts alone: solver.variant = ") + v.id +
                                          " solves whole maps; allowed: moments or cuda-moments with "
                                          "physics.nuclear = off or attenuation, and beams along z");
  }
  double highest = 0.0;
  for (const Beam& spot : problem().spots) highest = std::max(highest, spot.energy);
  for (const Beam& beam : beams) {
    if (beam.energy > problem().grid.cutoff && beam.energy <= highest * (1.0 + kSameEnergy)) continue;
    throw ProblemError("invalid", "beam.energy_MeV = " + std::to_string(beam.energy) + ": allowed: above " +
                                      std::to_string(problem().grid.cutoff) + " MeV, and up to " +
                                      std::to_string(highest) + " MeV, for which this box is made");
  }
  return v.make_readouts(problem())->solve(beams, curves, cancel_);
}

/// Solves beams of the list on one device, in several slots if its memory allows. While the beams of one slot run, the
/// results of another are downloaded.
class Beams::DeviceSolver {
 public:
  /// `wave`: maximum number of beams at a time.
  DeviceSolver(const Beams& beams, const Common& common, const std::string& device, std::size_t wave)
      : beams_(beams), common_(common), problem_(beams.problem()) {
    const cpu::Clock::time_point begun = cpu::Clock::now();
    problem_.device = device;
    solver_ = beams.run_.variant().make_beams(problem_, common.tables, beams.run_.steps_max());
    wave_ = std::min(wave, static_cast<std::size_t>(solver_->at_once()));
    setup_s_ = common.setup_s + cpu::seconds_since(begun) / static_cast<double>(beams.count());
  }

  /// Solves beams until the queue is empty or the batch is cancelled. After a failure, unfinished beams return to the
  /// queue.
  void solve(BeamQueue& queue, const std::function<void(FinishedBeam&&)>& ended) {
    try {
      const int slots = solver_->slots();
      for (int slot = 0; slot < slots; ++slot) begin(slot, queue);
      for (int slot = 0; at(slot).beams.count > 0; slot = (slot + 1) % slots) finish(slot, queue, ended);
    } catch (...) {
      for (const BeamWave& wave : waves_) queue.put_back(wave.beams);
      throw;
    }
  }

 private:
  struct BeamWave {
    BeamRange beams;
    std::vector<Tables> tables;
    cpu::Clock::time_point begun;
  };

  BeamWave& at(int slot) { return waves_[static_cast<std::size_t>(slot)]; }

  void begin(int slot, BeamQueue& queue) {
    BeamWave& w = at(slot);
    w.beams = beams_.cancel_.load() ? BeamRange{} : queue.take(wave_);
    w.tables.assign(w.beams.count, {});
    if (w.beams.count == 0) return;
    cpu::on_all_cores(static_cast<int>(w.beams.count), [&](int i) {
      w.tables[static_cast<std::size_t>(i)] = beams_.run_.builder().alone(w.beams.first + static_cast<std::size_t>(i));
    });
    std::vector<const transport::Start*> starts;
    for (const Tables& each : w.tables) starts.push_back(&each.start);
    w.begun = cpu::Clock::now();
    solver_->begin(slot, starts, w.beams.count == beams_.count());
  }

  /// Starts the slot's next beams and reports the results of its last ones while those run.
  void finish(int slot, BeamQueue& queue, const std::function<void(FinishedBeam&&)>& ended) {
    solver_->finish(slot);
    BeamWave done = std::exchange(at(slot), {});
    std::vector<RunResult> results;
    try {
      results = read(slot, done);
    } catch (...) {
      queue.put_back(done.beams);
      throw;
    }
    std::exception_ptr failure;  // failure of the next beams; finished ones still report results
    try {
      begin(slot, queue);
    } catch (...) {
      failure = std::current_exception();
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      ended({done.beams.first + i, std::move(results[i]), std::move(done.tables[i])});
    }
    if (failure) std::rethrow_exception(failure);
  }

  std::vector<RunResult> read(int slot, BeamWave& wave) const {
    const double seconds = cpu::seconds_since(wave.begun) / static_cast<double>(wave.beams.count);
    std::vector<RunResult> results(wave.beams.count);
    cpu::on_all_cores(static_cast<int>(wave.beams.count), [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      Tables& beam = wave.tables[at];
      beams_.run_.builder().describe(wave.beams.first + at, common_.tables, beam);
      BeamScores scores = solver_->scores(slot, at);
      const std::size_t row = static_cast<std::size_t>(beam.start.entry_z) * static_cast<std::size_t>(beam.nx);
      for (std::size_t x = 0; x < beam.start.entry_dose.size(); ++x) scores.dose[row + x] += beam.start.entry_dose[x];
      RunResult& result = results[at];
      result = common_.result(problem_, beam, std::move(scores));
      result.setup_s = setup_s_;
      result.solve_s = seconds;
      result.state_bytes = solver_->state_bytes();
      result.bytes_per_cell_step = beams_.run_.variant().bytes_per_cell_step;
    });
    return results;
  }

  const Beams& beams_;
  const Common& common_;
  Problem problem_;
  std::unique_ptr<BeamsSolver> solver_;
  std::size_t wave_ = 1;
  double setup_s_ = 0;
  std::array<BeamWave, BeamsSolver::kMaxSlots> waves_;
};

void Beams::solve_on_devices(const Common& common, const std::function<void(FinishedBeam&&)>& ended) {
  BeamQueue queue(count());
  std::mutex telling;
  const auto tell = [&](FinishedBeam&& one) {
    const std::scoped_lock lock(telling);
    ended(std::move(one));
  };
  std::vector<std::string> devices = devices_;
  while (!queue.empty() && !cancel_.load()) {
    // Each device runs two waves at a time. With several devices waves are smaller, so that one device does not take
    // all beams before another has started.
    const std::size_t share = devices.size() == 1 ? count() : (count() + 2 * devices.size() - 1) / (2 * devices.size());
    std::vector<std::exception_ptr> failures(devices.size());
    const auto solve = [&](std::size_t i) {
      try {
        DeviceSolver(*this, common, devices[i], share).solve(queue, tell);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < devices.size(); ++i) others.emplace_back(solve, i);
    solve(0);
    for (std::thread& each : others) each.join();
    std::vector<std::string> whole;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (!failures[i]) whole.push_back(devices[i]);
    }
    if (whole.empty()) std::rethrow_exception(failures.front());
    devices = std::move(whole);
  }
}

void Beams::solve_on_cores(const Common& common, const std::function<void(FinishedBeam&&)>& ended, bool maps) {
  cpu::ThreadPool pool(run_.on_gpu() ? 1 : lanes());
  /// A thread's solver. It is reused for many beams and refers to the tables of the lane.
  struct Lane {
    Problem problem;  // with a single beam, if there are no operators
    std::optional<Tables> tables;
    std::unique_ptr<Solver> solver;
  };
  std::vector<Lane> lanes(static_cast<std::size_t>(pool.lanes()));
  for (Lane& lane : lanes) {
    lane.problem = problem();
    lane.problem.dose_map = maps || !has_rows();
  }
  std::mutex telling;
  const auto solve = [&](std::size_t beam, Lane& lane) -> std::optional<FinishedBeam> {
    const cpu::Clock::time_point begun = cpu::Clock::now();
    FinishedBeam out{.beam = beam, .result = {}, .alone = {}};
    if (common.operators) {
      out.alone = run_.builder().alone(beam);
      run_.builder().describe(beam, common.tables, out.alone);
    } else {
      out.alone = run_.builder().axes_alone(beam);
      lane.problem.spots = {problem().spots[beam]};
    }
    if (!lane.tables) lane.tables = common.tables;
    copy_beam_fields(out.alone, *lane.tables);
    if (!lane.solver || !lane.solver->restart(lane.problem)) {
      lane.solver.reset();
      lane.solver = common.make(lane.problem, *lane.tables, 1);
    }
    Solver* const solver = lane.solver.get();
    SpanRecorder spans(1);
    BeamScores scores;
    const double stop = problem().stop_weight * lane.tables->start.number_in;
    double in_flight = lane.tables->start.number_in;
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
    scores.rows = solver->dose_rows();
    if (!scores.rows) assign(scores.dose, solver->dose());
    assign(scores.crossing, solver->crossing());
    const cpu::Clock::time_point marched = cpu::Clock::now();
    scores.secondaries = follow_products(*solver, lane.problem, *lane.tables, 1);
    const double secondaries_s = cpu::seconds_since(marched);
    scores.min_over_max = solver->min_over_max();
    scores.cell_steps = solver->cell_steps();
    out.result = common.result(problem(), out.alone, std::move(scores));
    out.result.setup_s = common.setup_s;
    out.result.secondaries_s = out.result.secondaries ? secondaries_s : 0.0;
    out.result.solve_s = cpu::seconds_since(begun) - out.result.secondaries_s;
    out.result.state_bytes = solver->state_bytes();
    const double moved = solver->bytes_per_cell_step();
    out.result.bytes_per_cell_step = moved > 0.0 ? moved : run_.variant().bytes_per_cell_step;
    return out;
  };
  pool.run(static_cast<int>(count()), [&](int task, int at) {
    if (cancel_.load()) return;
    Lane& lane = lanes[static_cast<std::size_t>(at)];
    const auto beam = static_cast<std::size_t>(task);
    std::optional<FinishedBeam> out;
    try {
      out = solve(beam, lane);
    } catch (const ProblemError& error) {
      out.emplace(FinishedBeam{.beam = beam, .result = {}, .alone = {}}).result.failure = {error.code(), error.what()};
    } catch (const std::bad_alloc&) {
      lane.solver.reset();
      out.emplace(FinishedBeam{.beam = beam, .result = {}, .alone = {}}).result.failure = {
          "memory", "this machine does not have enough memory for this beam"};
    }
    if (!out) return;
    const std::scoped_lock lock(telling);
    ended(std::move(*out));
  });
}

}  // namespace bb::engine
