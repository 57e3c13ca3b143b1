#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "by_precision.hpp"
#include "cpu/host.hpp"
#include "cpu/thread_pool.hpp"
#include "execution.hpp"
#include "transport/model/step_operators.hpp"

namespace bb::engine {
namespace {

/// Maximum number of steps of a proton. The range in the lightest medium may exceed the grid, so the size of the grid
/// counts too.
int bound_steps(const transport::Problem& p, const transport::Tables& t) {
  if (p.filled) return p.max_steps;
  if (p.stepping == transport::Stepping::kDepth) return std::min(p.max_steps, t.nz - t.start.z);
  const double straight = std::hypot(t.nz * p.grid.dz, t.nx * p.grid.dx);
  const double lightest = std::ranges::min(p.materials, {}, &transport::Material::density).density;
  const double way = std::min(t.beam_range_mm * 1.2 / std::min(1.0, lightest), 2.0 * straight);
  return std::min(p.max_steps, std::max(1, static_cast<int>(std::ceil(way / p.step))));
}

/// If the problem sets a number of threads, a single thread builds the layout, which takes about a millisecond.
transport::InParallel lanes_of(const transport::Problem& p) {
  return p.threads > 0 ? transport::InParallel(transport::one_after_the_other) : cpu::on_all_cores;
}

transport::StepSource step_source_of(const transport::Variant& variant) {
  return variant.needs_operators ? transport::StepSource::kOperators : transport::StepSource::kOwnPlanes;
}

/// `auto` chooses among variants that use operators. Unknown names are rejected later.
transport::StepSource step_source_of(const transport::Problem& p) {
  const auto all = transport::variants();
  const auto named = std::ranges::find_if(all, [&](const transport::Variant& v) { return p.variant == v.id; });
  return named == all.end() ? transport::StepSource::kOperators : step_source_of(*named);
}

}  // namespace

Run::Run(transport::Problem problem) : Run(std::move(problem), nullptr) {}

Run::Run(transport::Problem problem, const transport::Variant& variant) : Run(std::move(problem), &variant) {}

Run::Run(transport::Problem problem, const transport::Variant* variant)
    : problem_(std::move(problem)),
      builder_(problem_, lanes_of(problem_), variant != nullptr ? step_source_of(*variant) : step_source_of(problem_)),
      variant_(variant != nullptr ? variant : &transport::choose_variant(problem_, outline())),
      threads_(on_gpu() ? 1 : cpu::thread_count(problem_.threads)),
      steps_max_(bound_steps(problem_, outline())),
      spans_(on_gpu() ? 2 : threads_) {}

RunResult Run::execute(const std::function<void(const Progress&)>& on_progress, const TimingOptions& measuring) {
  try {
    return Execution(*this, on_progress, measuring).solve();
  } catch (const transport::Cancelled&) {
    return nothing_done();
  }
}

RunResult Run::nothing_done() {
  tables_ = outline();
  RunResult out;
  out.cancelled = true;
  out.threads = threads_;
  out.isa = cpu::instruction_set_name();
  out.dose.assign(outline().plane(), 0.0);
  out.crossing.assign(static_cast<std::size_t>(outline().nz) * Crossing::kCount, 0.0);
  return out;
}

void Run::publish_live(Solver& solver) {
  LiveFrame frame;
  solver.marginals(frame.marginals);
  const std::span<const double> dose = solver.dose();
  frame.dose.assign(dose.begin(), dose.end());
  StepSpread(problem_, tables_).dose(frame.dose);
  std::vector<PlaneRequest> wanted;
  {
    const std::scoped_lock lock(live_mutex_);
    wanted = wanted_planes_;
  }
  frame.planes = project(solver, outline(), wanted);
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
  for (const PlaneRequest& plane : planes) check(plane, outline());
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

namespace {

// Memory factors. During their construction, operators exist twice, first in growing vectors. Not all of that memory is
// released afterwards.
constexpr double kBuildFactor = 2.9, kRetainedFactor = 1.7;
constexpr double kSpans = 6.4e6;  // per thread
constexpr double kRest = 14e6;    // heap memory for threads, fragmentation, a live frame and derived results, bytes
constexpr double kPlanes = 9.0;   // values per cell of the map: scores, copies of results, products of reactions

/// Bytes in the rows of the tables, FP64.
double row_bytes(const transport::RowCounts& n) { return 12.0 * n.gathered + 8.0 * n.angles + 48.0 * n.rows; }

/// Bytes in the rows of the tables in a variant's type.
double typed_bytes(const transport::RowCounts& n, double value) {
  return (value + 4.0) * n.gathered + value * n.angles + (4.0 * value + 8.0) * n.rows;
}

}  // namespace

double Run::memory_bytes() const {
  const transport::Tables& t = outline();
  const transport::RowCounts counts = variant_->needs_operators ? builder_.counted() : transport::RowCounts{};
  const double value = transport::value_bytes(problem_);
  const double plane = 8.0 * static_cast<double>(t.plane());
  const double recorded = 8.0 * static_cast<double>(t.reactions.size());
  const double tracks =
      problem_.track_scores ? 8.0 * static_cast<double>(transport::TrackScores::kMoments * t.plane()) : 0.0;
  if (on_gpu()) {
    constexpr double kFields = 4.0;
    // On the GPU, the negative and the positive angles have separate rows.
    return estimate_bytes() + 2.0 * typed_bytes(counts, value) + kFields * plane + recorded + tracks;
  }
  const double psi = variant_->beam_bytes != nullptr && !problem_.filled ? variant_->beam_bytes(problem_, t, threads_)
                                                                         : estimate_bytes();
  const double made = kBuildFactor * row_bytes(counts);
  const double stepping = kRetainedFactor * row_bytes(counts) + typed_bytes(counts, value) + psi + kPlanes * plane +
                          1.2 * recorded + 4.0 * tracks + kSpans * threads_;
  return std::max(made, stepping) + kRest;
}

}  // namespace bb::engine
