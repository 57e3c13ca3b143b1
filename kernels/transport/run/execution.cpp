#include "execution.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "cpu/host.hpp"
#include "cpu/thread_pool.hpp"
#include "cpu/user_library.hpp"
#include "engine/measuring.hpp"
#include "step_spread.hpp"
#include "transport/model/work.hpp"
#include "transport/user_kernel.hpp"

namespace bb::engine {
namespace {

constexpr double kRestPerKeeping = 20.0;  // time between copies of a state to the host, in times of a copy
constexpr int kBatch = 1024;              // maximum steps of a solver between checks for requests

/// Copies scores. Solvers sum them, or download them from a device, at each request.
void assign(std::vector<double>& to, std::span<const double> from) { to.assign(from.begin(), from.end()); }

void add(const std::vector<double>& from, std::vector<double>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

/// Number of steps after which almost no protons are in flight: the steps of the proton on the axis, plus four sigma of
/// straggling.
int expected_steps(const transport::Problem& p, const transport::Tables& t, int bound) {
  constexpr double kStraggling = 1.045;  // sigma is 1.0 to 1.15 % of the range
  const double spread = p.straggling == transport::Straggling::kOff ? 1.0 : kStraggling;
  return t.axis_steps > 0 ? std::min(bound, static_cast<int>(t.axis_steps * spread)) : bound;
}

/// Depth of protons on a straight path after `step` steps, mm.
double nominal_depth(const transport::Problem& p, const transport::Tables& t, int step) {
  const double per_step = p.stepping == transport::Stepping::kDepth ? t.dz : p.step * std::cos(p.beam.angle);
  return std::min(t.depth_first_node + step * per_step, t.nz * t.dz);
}

}  // namespace

Run::Execution::Execution(Run& run, const OnProgress& on_progress, const TimingOptions& measuring)
    : run_(run), on_progress_(on_progress), measuring_(measuring) {
  const cpu::Clock::time_point begun = cpu::Clock::now();
  const auto make = cpu::factory_of(*run_.variant_, "transport", "", transport::kUserKernelLayout);
  if (!run_.variant_->needs_operators) {
    run_.tables_ = run_.builder_.build_axes();
  } else if (run_.on_gpu()) {  // a GPU run has one thread, so all cores are free to build the tables
    const bool rows_left =
        run_.variant_->makes_rows && make == run_.variant_->make && transport::device_can_compute_rows(run_.problem_);
    run_.tables_ = run_.builder_.build(cpu::on_all_cores, &run_.cancel_, rows_left);
  } else {
    cpu::ThreadPool pool(run_.threads_);
    run_.tables_ = run_.builder_.build(
        [&](int tasks, const std::function<void(int)>& task) { pool.run(tasks, [&](int i, int) { task(i); }); },
        &run_.cancel_);
  }
  result_.setup_parts.push_back({"tables", cpu::seconds_since(begun)});
  record("tables", begun);
  const cpu::Clock::time_point making = cpu::Clock::now();
  solver_ = make(run_.problem_, run_.tables_, run_.threads_);
  record("state", making);
  if (!solver_->follows_products() && solver_->reactions().size() != run_.tables_.reactions.size()) {
    throw transport::ProblemError("unsupported", "solver.variant = " + run_.problem_.variant +
                                                     ": records no nuclear reactions (Solver::reactions), which "
                                                     "physics.nuclear = icru63 needs");
  }
  if (solver_->tracks().size() != run_.tables_.tracks.size()) {
    throw transport::ProblemError("unsupported", "solver.variant = " + run_.problem_.variant +
                                                     ": scores no tracks (Solver::tracks), which output.let needs");
  }
  result_.threads = run_.threads_;
  result_.isa = cpu::instruction_set_name();
  result_.setup_s = cpu::seconds_since(begun);
  std::ranges::move(solver_->setup_parts(), std::back_inserter(result_.setup_parts));

  ledger_.emplace(run_.tables_.start);
  spread_.emplace(run_.problem_, run_.tables_);
  flops_per_cell_step_ = !run_.variant_->needs_operators ? run_.variant_->flops_per_cell_step
                         : run_.tables_.operators        ? solver_->flops_per_cell_step()
                                                         : transport::flops_per_cell_step(run_.tables_);
  expected_steps_ = expected_steps(run_.problem_, run_.tables_, run_.steps_max_);
  if (run_.problem_.keyframes > 0) {
    keep_keyframe();
    next_keyframe_ = 1;
  }
}

void Run::Execution::record(const char* name, cpu::Clock::time_point since) const {
  run_.spans_.record(0, run_.spans_.name_id(name), kNoStep, run_.spans_.ns_at(since), run_.spans_.now_ns());
}

RunResult Run::Execution::solve() {
  if (measuring_.graph_replay) solver_->replay_graphs();
  if (measuring_.cold) solver_->start_cold();
  solving_ = cpu::Clock::now();
  try {
    while (!finished_ && step_ < run_.steps_max_ && !run_.cancel_.load() && take_steps()) observe();
  } catch (const transport::ProblemError& error) {
    if (!safe_) throw;
    return failed({error.code(), error.what()});
  }
  return finish();
}

bool Run::Execution::take_steps() {
  const int frames = run_.problem_.keyframes;
  while (next_keyframe_ < frames && keyframe_step(next_keyframe_) <= step_) ++next_keyframe_;
  const int until =
      next_keyframe_ < frames ? std::min(keyframe_step(next_keyframe_), run_.steps_max_) : run_.steps_max_;
  totals_.clear();
  const int done = solver_->advance(std::min(until - step_, kBatch), totals_, run_.spans_, run_.cancel_);
  if (done == 0) return false;
  ledger_->add(totals_);
  step_ += done;
  finished_ = ledger_->done(run_.problem_.stop_weight);
  return true;
}

void Run::Execution::observe() {
  const double observed = seconds();
  if (next_keyframe_ < run_.problem_.keyframes && (keyframe_step(next_keyframe_) == step_ || finished_)) {
    keep_keyframe();
    ++next_keyframe_;
  }
  if (observed - last_report_ >= kFrameSeconds) {
    last_report_ = observed;
    if (run_.live_wanted_.load() && !measuring_.unwatched) run_.publish_live(*solver_);
    report(observed, std::max(0, expected_steps_ - step_));
  }
  const int known = run_.checkpoint_from_.exchange(-1);
  if (known >= 0) keep_checkpoint(static_cast<std::size_t>(known));
  keep_safe();
  observing_ += seconds() - observed;
}

void Run::Execution::report(double seconds, double steps_ahead) const {
  if (!on_progress_) return;
  const double rate = seconds > 0.0 ? step_ / seconds : 0.0;
  on_progress_({step_, run_.steps_max_, nominal_depth(run_.problem_, run_.outline(), step_), ledger_->left(),
                ledger_->error(), rate, rate > 0.0 ? steps_ahead / rate : 0.0});
}

int Run::Execution::keyframe_step(int k) const {
  const int frames = run_.problem_.keyframes;
  if (frames < 2) return 0;
  return k == frames - 1 ? run_.steps_max_
                         : static_cast<int>(std::lround(static_cast<double>(k) * expected_steps_ / (frames - 1)));
}

void Run::Execution::keep_keyframe() {
  Marginals frame;
  solver_->marginals(frame);
  result_.keyframes.push_back(std::move(frame));
}

void Run::Execution::keep_safe() {
  const double now = seconds();
  if (!run_.on_gpu() || now - kept_at_ < std::max(measuring_.keep_every_s, kRestPerKeeping * keeping_)) return;
  safe_.emplace();
  describe(*safe_);
  kept_at_ = seconds();
  keeping_ = kept_at_ - now;
}

void Run::Execution::keep_checkpoint(std::size_t known_keyframes) {
  RunResult so_far;
  so_far.cancelled = true;
  so_far.threads = result_.threads;
  so_far.isa = result_.isa;
  so_far.setup_s = result_.setup_s;
  so_far.setup_parts = result_.setup_parts;
  so_far.number = ledger_->numbers();
  so_far.energy = ledger_->energies();
  for (std::size_t i = known_keyframes; i < result_.keyframes.size(); ++i) {
    so_far.keyframes.push_back(result_.keyframes[i]);
  }
  describe(so_far);
  const std::scoped_lock lock(run_.live_mutex_);
  run_.checkpoint_ = std::move(so_far);
}

void Run::Execution::describe(RunResult& r) const {
  r.solve_s = seconds() - observing_ - solver_->untimed_seconds() - result_.secondaries_s;
  r.steps = step_;
  r.device_s = solver_->device_seconds();
  r.cell_steps = solver_->cell_steps();
  r.state_bytes = solver_->state_bytes();
  const double moved = solver_->bytes_per_cell_step();
  r.bytes_per_cell_step = moved > 0.0 ? moved : run_.variant_->bytes_per_cell_step;
  r.flops_per_cell_step = flops_per_cell_step_;
  r.min_over_max = solver_->min_over_max();
  assign(r.dose, solver_->dose());
  assign(r.crossing, solver_->crossing());
  spread_->dose(r.dose);
  spread_->crossing(r.crossing);
  if (!run_.problem_.filled && run_.variant_->needs_operators) centre_angles(run_.problem_, run_.tables_, r.crossing);
  if (run_.tables_.tracks.on()) r.tracks = tracks();
}

TrackResult Run::Execution::tracks() const {
  const transport::Tables& t = run_.tables_;
  const transport::TrackScores& scored = t.tracks;
  const std::span<const double> all = solver_->tracks();
  const std::size_t fields = scored.kMoments * scored.plane;
  TrackResult out;
  assign(out.primary, all.first(fields));
  assign(out.spectra, all.subspan(fields));
  for (std::size_t k = 0; k < scored.kMoments; ++k) {
    const std::span<double> field = std::span(out.primary).subspan(k * scored.plane, scored.plane);
    spread_->field(field);
    const std::size_t first = static_cast<std::size_t>(t.start.entry_z) * static_cast<std::size_t>(t.nx);
    for (std::size_t x = 0; x < scored.entry[k].size(); ++x) field[first + x] += scored.entry[k][x];
  }
  out.protons = out.primary;
  if (result_.secondaries) add(result_.secondaries->tracks, out.protons);
  return out;
}

std::unique_ptr<transport::Secondaries> follow_products(Solver& solver, const transport::Problem& problem,
                                                        const transport::Tables& tables, int threads) {
  if (auto products = solver.follow_products()) return products;
  const std::span<const double> reactions = solver.reactions();
  if (reactions.empty()) return nullptr;
  return std::make_unique<transport::Secondaries>(transport::follow_secondaries(problem, tables, reactions, threads));
}

void Run::Execution::follow_reactions() {
  if (solver_->reactions().empty() && !solver_->follows_products()) return;
  const ScopedSpan span(run_.spans_, 0, run_.spans_.name_id("secondaries"), step_);
  const cpu::Clock::time_point begun = cpu::Clock::now();
  result_.secondaries = std::move(*follow_products(*solver_, run_.problem_, run_.tables_, run_.threads_));
  ledger_->close(*result_.secondaries);
  result_.secondaries_s = cpu::seconds_since(begun);
}

RunResult Run::Execution::finish() {
  result_.cancelled = run_.cancel_.load() && !finished_;
  follow_reactions();
  result_.number = ledger_->numbers();
  result_.energy = ledger_->energies();
  const cpu::Clock::time_point reading = cpu::Clock::now();
  describe(result_);
  record("read back", reading);
  if (result_.secondaries) add(result_.secondaries->dose, result_.dose);
  const auto& kept = result_.keyframes;
  if (result_.cancelled && run_.problem_.keyframes > 0 && (kept.empty() || kept.back().step != step_)) keep_keyframe();
  if (!measuring_.unwatched) run_.publish_live(*solver_);
  report(result_.solve_s, 0.0);
  return std::move(result_);
}

RunResult Run::Execution::failed(Failure why) {
  const auto rows = static_cast<std::size_t>(safe_->steps);
  RunResult out = std::move(*safe_);
  out.failure = std::move(why);
  out.threads = result_.threads;
  out.isa = std::move(result_.isa);
  out.setup_s = result_.setup_s;
  out.setup_parts = std::move(result_.setup_parts);
  out.number = ledger_->numbers();
  out.energy = ledger_->energies();
  out.number.resize(rows);
  out.energy.resize(rows);
  std::erase_if(result_.keyframes, [&](const Marginals& frame) { return frame.step > out.steps; });
  out.keyframes = std::move(result_.keyframes);
  return out;
}

}  // namespace bb::engine
