#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "cpu/host.hpp"
#include "cpu/own_library.hpp"
#include "cpu/stopwatch.hpp"
#include "cpu/thread_pool.hpp"
#include "engine/progress.hpp"
#include "step_spread.hpp"
#include "transport/model/work.hpp"
#include "transport/own_variant.hpp"

namespace bb::engine {
namespace {

using cpu::Clock;
using cpu::seconds_since;

constexpr double kRestPerKeeping = 20.0;  // bringing states to the host takes at most this part of the time
constexpr int kBatch = 1024;              // steps that a solver may take between two looks at the outside

/// Scores are added up, or fetched from a device, each time that they are asked for.
void assign(std::vector<double>& to, std::span<const double> from) { to.assign(from.begin(), from.end()); }

/// The longest way that a proton can go, in steps: the range in the lightest medium ends at the
/// grid's edge, so depth counts too.
int bound_steps(const transport::Problem& p, const transport::Tables& t) {
  if (p.filled) return p.max_steps;
  if (p.stepping == transport::Stepping::kDepth) return std::min(p.max_steps, t.nz - t.start.z);
  const double straight = std::hypot(t.nz * p.grid.dz, t.nx * p.grid.dx);
  const double lightest = std::ranges::min(p.materials, {}, &transport::Material::density).density;
  const double way = std::min(t.beam_range_mm * 1.2 / std::min(1.0, lightest), 2.0 * straight);
  return std::min(p.max_steps, std::max(1, static_cast<int>(std::ceil(way / p.step))));
}

/// Steps after which next to nothing is in flight: what the axis proton takes and four sigma of straggling.
int expected_steps(const transport::Problem& p, const transport::Tables& t, int bound) {
  constexpr double kStraggling = 1.045;  // sigma is 1.0 to 1.15 % of the range
  const double spread = p.straggling == transport::Straggling::kOff ? 1.0 : kStraggling;
  return t.axis_steps > 0 ? std::min(bound, static_cast<int>(t.axis_steps * spread)) : bound;
}

/// Adds a step's changes to the sums so far.
LedgerRow next_row(const LedgerRow& last, const StepTotals::Side& side, double deposited) {
  LedgerRow row = last;
  row.in_flight = side.in_flight;
  row.stopped += side.stopped;
  for (std::size_t face = 0; face < row.escaped.size(); ++face) row.escaped[face] += side.escaped[face];
  row.nuclear += side.nuclear;
  row.skipped += side.skipped;
  row.deposited += deposited;
  const double accounted = row.in_flight + row.stopped + row.escaped_all() + row.nuclear + row.skipped + row.deposited;
  row.rel_error = row.in > 0.0 ? std::abs(accounted - row.in) / row.in : 0.0;
  return row;
}

/// The planes are scored before the scattering of their step, so <θ²> there holds half a step too little.
/// What a plane has after its scattering is what the next node has before its own: the mean of the two
/// is right to second order in the step.
void centre_angles(const transport::Problem& p, const transport::Tables& t, std::vector<double>& crossing) {
  constexpr double kLeastShare = 1e-6;  // of the beam: below, the ratio of sums is rounding
  const double lag = p.stepping == transport::Stepping::kDepth ? 1.0 : p.step * std::cos(p.beam.angle) / t.dz;
  const auto mean_square = [&](int z) -> std::optional<double> {
    if (z < 0 || z >= t.nz) return std::nullopt;
    const double* c = &crossing[static_cast<std::size_t>(z) * Crossing::kCount];
    if (c[Crossing::kN] <= kLeastShare * t.start.number_in) return std::nullopt;
    return c[Crossing::kThetaTheta] / c[Crossing::kN];
  };
  // Upwards in z: a plane only reads itself and planes that are not changed yet.
  for (int z = 0; z < t.nz; ++z) {
    const int whole = static_cast<int>(std::floor(lag));
    const auto here = mean_square(z);
    const auto near = mean_square(z + whole);
    const auto far = mean_square(z + whole + 1);
    if (!here || !near) continue;
    const double ahead = *near + (lag - whole) * (far ? *far - *near : 0.0);
    double* c = &crossing[static_cast<std::size_t>(z) * Crossing::kCount];
    c[Crossing::kThetaTheta] = 0.5 * (*here + ahead) * c[Crossing::kN];
  }
}

/// The part of a result that was in the host's memory when the device failed.
RunResult failed(RunResult result, RunResult safe, Failure why) {
  const auto rows = static_cast<std::size_t>(safe.steps);
  result.number.resize(rows);
  result.energy.resize(rows);
  std::erase_if(result.keyframes, [&](const Marginals& frame) { return frame.step > safe.steps; });
  safe.failure = std::move(why);
  safe.threads = result.threads;
  safe.isa = std::move(result.isa);
  safe.setup_s = result.setup_s;
  safe.setup_parts = std::move(result.setup_parts);
  safe.number = std::move(result.number);
  safe.energy = std::move(result.energy);
  safe.keyframes = std::move(result.keyframes);
  return safe;
}

/// Depth that protons which go straight have reached after `step` steps, mm.
double nominal_depth(const transport::Problem& p, const transport::Tables& t, int step) {
  const double per_step = p.stepping == transport::Stepping::kDepth ? t.dz : p.step * std::cos(p.beam.angle);
  return std::min(t.depth_first_node + step * per_step, t.nz * t.dz);
}

}  // namespace

Run::Run(transport::Problem problem) : Run(std::move(problem), nullptr) {}

Run::Run(transport::Problem problem, const transport::Variant& variant) : Run(std::move(problem), &variant) {}

Run::Run(transport::Problem problem, const transport::Variant* variant)
    : problem_(std::move(problem)),
      outline_(transport::outline_tables(problem_)),
      variant_(variant != nullptr ? variant : &transport::choose_variant(problem_, outline_)),
      threads_(on_gpu() ? 1 : cpu::thread_count(problem_.threads)),
      steps_max_(bound_steps(problem_, outline_)),
      spans_(on_gpu() ? 2 : threads_) {}

RunResult Run::execute(const std::function<void(const Progress&)>& on_progress, const Measuring& measuring) {
  const Clock::time_point begun = Clock::now();
  tables_ = transport::build_tables(problem_);
  RunResult result;
  result.setup_parts.push_back({"tables", seconds_since(begun)});
  const auto make = cpu::factory_of(*variant_, "transport", "", transport::kOwnLayout);
  const std::unique_ptr<Solver> solver = make(problem_, tables_, threads_);
  result.threads = threads_;
  result.isa = cpu::instruction_set_name();
  result.setup_s = seconds_since(begun);
  std::ranges::move(solver->setup_parts(), std::back_inserter(result.setup_parts));

  const transport::Tables::Start& start = tables_.start;
  LedgerRow number{.in = start.number_in, .escaped = start.missed};
  LedgerRow energy{.in = start.energy_in, .escaped = start.missed_energy, .deposited = start.entry_deposit};
  number.in_flight = number.in - number.escaped_all();
  energy.in_flight = energy.in - energy.escaped_all() - energy.deposited;
  const double flops = transport::flops_per_cell_step(tables_);
  const StepSpread spread(problem_, tables_);
  Marginals frame;
  const auto keep_keyframe = [&] {
    solver->marginals(frame);
    result.keyframes.push_back(frame);
  };
  const int frames = problem_.keyframes;
  // The last one is the end of the run, wherever that is.
  const int expected = expected_steps(problem_, tables_, steps_max_);
  const auto keyframe_step = [&](int k) {
    if (frames < 2) return 0;
    return k == frames - 1 ? steps_max_
                           : static_cast<int>(std::lround(static_cast<double>(k) * expected / (frames - 1)));
  };
  int next_frame = 0;
  if (frames > 0) {
    keep_keyframe();
    next_frame = 1;
  }

  if (measuring.graph_replay) solver->replay_graphs();
  if (measuring.cold) solver->start_cold();
  const Clock::time_point solving = Clock::now();
  double last_report = -1.0;
  double observing = 0.0;  // seconds spent on pictures, not on solving
  std::vector<StepTotals> totals;
  int step = 0;
  bool finished = false;
  const auto describe = [&](RunResult& r) {
    r.solve_s = seconds_since(solving) - observing - solver->untimed_seconds();
    r.steps = step;
    r.device_s = solver->device_seconds();
    r.cell_steps = solver->cell_steps();
    r.state_bytes = solver->state_bytes();
    const double moved = solver->bytes_per_cell_step();
    r.bytes_per_cell_step = moved > 0.0 ? moved : variant_->bytes_per_cell_step;
    r.flops_per_cell_step = flops;
    r.min_over_max = solver->min_over_max();
    assign(r.dose, solver->dose());
    assign(r.crossing, solver->crossing());
    spread.dose(r.dose);
    spread.crossing(r.crossing);
    if (!problem_.filled) centre_angles(problem_, tables_, r.crossing);
  };
  const auto keep_checkpoint = [&](std::size_t known) {
    RunResult so_far;
    so_far.cancelled = true;
    so_far.threads = result.threads;
    so_far.isa = result.isa;
    so_far.setup_s = result.setup_s;
    so_far.setup_parts = result.setup_parts;
    so_far.number = result.number;
    so_far.energy = result.energy;
    for (std::size_t i = known; i < result.keyframes.size(); ++i) so_far.keyframes.push_back(result.keyframes[i]);
    describe(so_far);
    const std::scoped_lock lock(live_mutex_);
    checkpoint_ = std::move(so_far);
  };
  // What a device holds is lost with it: the state so far is brought to the host now and then.
  std::optional<RunResult> safe;  // without ledger and keyframes
  double kept_at = 0.0, keeping = 0.0;
  const auto keep_safe = [&](double now) {
    if (!on_gpu() || now - kept_at < std::max(measuring.keep_every_s, kRestPerKeeping * keeping)) return;
    safe.emplace();
    describe(*safe);
    kept_at = seconds_since(solving);
    keeping = kept_at - now;
  };
  const auto take_steps = [&] {
    while (next_frame < frames && keyframe_step(next_frame) <= step) ++next_frame;
    const int until = next_frame < frames ? std::min(keyframe_step(next_frame), steps_max_) : steps_max_;
    totals.clear();
    const int done = solver->advance(std::min(until - step, kBatch), totals, spans_, cancel_);
    if (done == 0) return false;
    for (const StepTotals& s : totals) {
      number = next_row(number, s.number, 0.0);
      energy = next_row(energy, s.energy, s.deposited);
      result.number.push_back(number);
      result.energy.push_back(energy);
    }
    step += done;
    finished = number.in_flight <= problem_.stop_weight * number.in;

    const double observed = seconds_since(solving);
    if (next_frame < frames && (keyframe_step(next_frame) == step || finished)) {
      keep_keyframe();
      ++next_frame;
    }
    if (observed - last_report >= kFrameSeconds) {
      last_report = observed;
      if (live_wanted_.load()) publish_live(*solver);
      if (on_progress) {
        const double rate = observed > 0.0 ? step / observed : 0.0;
        on_progress({step, steps_max_, nominal_depth(problem_, outline_, step),
                     number.in > 0.0 ? number.in_flight / number.in : 0.0, std::max(number.rel_error, energy.rel_error),
                     rate, rate > 0.0 ? std::max(0, expected - step) / rate : 0.0});
      }
    }
    if (const int known = checkpoint_from_.exchange(-1); known >= 0) keep_checkpoint(static_cast<std::size_t>(known));
    keep_safe(seconds_since(solving));
    observing += seconds_since(solving) - observed;
    return true;
  };
  try {
    while (!finished && step < steps_max_ && !cancel_.load() && take_steps()) {
    }
  } catch (const transport::ProblemError& error) {
    if (!safe) throw;
    return failed(std::move(result), std::move(*safe), {error.code(), error.what()});
  }
  result.cancelled = cancel_.load() && !finished;
  describe(result);
  if (result.cancelled && frames > 0 && (result.keyframes.empty() || result.keyframes.back().step != step))
    keep_keyframe();
  publish_live(*solver);
  if (on_progress) {
    on_progress({step, steps_max_, nominal_depth(problem_, outline_, step),
                 number.in > 0.0 ? number.in_flight / number.in : 0.0, std::max(number.rel_error, energy.rel_error),
                 result.solve_s > 0.0 ? step / result.solve_s : 0.0, 0.0});
  }
  return result;
}

void Run::publish_live(Solver& solver) {
  LiveFrame frame;
  solver.marginals(frame.marginals);
  assign(frame.dose, solver.dose());
  StepSpread(problem_, tables_).dose(frame.dose);
  std::vector<PlaneRequest> wanted;
  {
    const std::scoped_lock lock(live_mutex_);
    wanted = wanted_planes_;
  }
  frame.planes = project(solver, outline_, wanted);
  const std::scoped_lock lock(live_mutex_);
  live_ = std::move(frame);
  live_wanted_.store(false);
}

std::optional<RunResult> Run::take_checkpoint() {
  const std::scoped_lock lock(live_mutex_);
  std::optional<RunResult> out = std::move(checkpoint_);
  checkpoint_.reset();
  return out;
}

void Run::want_planes(std::vector<PlaneRequest> planes) {
  for (const PlaneRequest& plane : planes) check(plane, outline_);
  const std::scoped_lock lock(live_mutex_);
  wanted_planes_ = std::move(planes);
}

std::optional<LiveFrame> Run::take_live() {
  const std::scoped_lock lock(live_mutex_);
  std::optional<LiveFrame> out = std::move(live_);
  live_.reset();
  live_wanted_.store(true);
  return out;
}

}  // namespace bb::engine
