#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/measuring.hpp"
#include "engine/spans.hpp"
#include "ledger.hpp"
#include "projection.hpp"
#include "solver.hpp"
#include "transport/registry.hpp"
#include "transport/secondaries/secondaries.hpp"
#include "variant.hpp"

namespace bb::engine {

struct Progress {
  int step = 0, steps_max = 0;
  double depth_mm = 0, weight_left = 1, ledger_error = 0, steps_per_s = 0, eta_s = 0;
};

/// Why a run ended before its end: `code` as ProblemError's.
struct Failure {
  std::string code, message;
};

/// Moments of the tracks of protons, three fields [z][x] each: mm, MeV, MeV²/mm (see physics::TrackMoments).
struct TrackResult {
  std::vector<double> primary;  // of the beam's protons that have not reacted
  std::vector<double> protons;  // with those that come out of nuclear reactions, where they are followed
  std::vector<double> spectra;  // [rows][ne] of Tables::tracks: mm of track of the primaries by bin
};

struct RunResult {
  bool cancelled = false;
  std::optional<Failure> failure;  // the device failed; the rest is what was finished before
  int steps = 0;
  int threads = 1;
  std::string isa;
  double setup_s = 0, solve_s = 0;
  double device_s = 0;                 // in steps, by the GPU's clock; 0 on the CPU
  std::vector<SetupPart> setup_parts;  // of setup_s
  double cell_steps = 0, state_bytes = 0;
  double bytes_per_cell_step = 0;  // of the kernels that ran, FP32; FP64 moves twice as many
  double flops_per_cell_step = 0;  // of this problem's operators
  double min_over_max = 0;
  std::vector<double> dose, crossing;
  std::vector<LedgerRow> number, energy;
  std::vector<Marginals> keyframes;
  std::optional<transport::Secondaries> secondaries;  // where nuclear reactions are followed; its dose is in `dose`
  std::optional<TrackResult> tracks;
  double secondaries_s = 0;  // not part of solve_s: a GPU's steps do not contain it either
};

/// The newest picture of a run in progress.
struct LiveFrame {
  Marginals marginals;
  std::vector<double> dose;
  std::vector<Plane> planes;  // of want_planes
};

/// One solution of one problem, run on the calling thread by `execute`; `cancel`, `take_live`,
/// `want_checkpoint` and `take_checkpoint` may be called from any other thread.
class Run {
 public:
  /// Lays the grid out and chooses the variant; the operators are built by `execute`. Throws ProblemError.
  explicit Run(transport::Problem problem);
  /// The same by a variant that is not requested by its name; it must outlive the run.
  Run(transport::Problem problem, const transport::Variant& variant);

  const transport::Problem& problem() const { return problem_; }
  /// Sizes and axes; safe to read while the run goes on.
  const transport::Tables& outline() const { return builder_.outline(); }
  const transport::TableBuilder& builder() const { return builder_; }
  /// The operators too; complete once `execute` has returned.
  const transport::Tables& tables() const { return tables_; }
  const transport::Variant& variant() const { return *variant_; }
  bool on_gpu() const { return bb::on_gpu(*variant_); }
  double estimate_bytes() const { return variant_->estimate_bytes(problem_, outline()); }
  /// About the most memory that `execute` takes, on the side of too much: tables, ψ and results. Of a GPU it is the
  /// GPU's. Keyframes come on top. Operators are made for it, so that it takes milliseconds.
  double memory_bytes() const;
  /// Steps that the slowest proton can need, at most the scenario's limit.
  int steps_max() const { return steps_max_; }
  int threads() const { return threads_; }
  /// One lane per thread; of a run on the GPU lane 0 is the host and lane 1 the device.
  const SpanRecorder& spans() const { return spans_; }

  /// Work begins now, whenever the run was laid out; called before `execute` by who sets further clocks by the spans'.
  void begin() { spans_.close_gap(); }

  /// Solves. `on_progress` is called from this thread at most 60 times a second, and once at the end. Throws
  /// ProblemError where nothing was finished; a device that fails later leaves a result with a `failure`.
  RunResult execute(const std::function<void(const Progress&)>& on_progress, const Measuring& measuring = {});

  void cancel() { cancel_.store(true); }
  /// Hands over the newest frame and asks for another; empty when none is ready. Never waits for the run.
  std::optional<LiveFrame> take_live();
  /// Asks for the state so far. The first `known` keyframes are not handed over again.
  void want_checkpoint(std::size_t known) { checkpoint_from_.store(static_cast<int>(known)); }
  /// The last requested state: the result of a run that ended there, without the keyframes that were known. Empty when
  /// none is ready. Never waits for the run.
  std::optional<RunResult> take_checkpoint();
  /// Planes that further live frames contain in addition to the marginals; replaces the earlier request. Throws
  /// ProblemError('invalid') for an axis twice or an index outside the grid.
  void want_planes(std::vector<PlaneRequest> planes);

 private:
  class Execution;

  Run(transport::Problem problem, const transport::Variant* variant);
  void publish_live(Solver& solver);
  /// The result of a run that was cancelled before its tables were whole.
  RunResult nothing_done();

  transport::Problem problem_;
  transport::TableBuilder builder_;
  transport::Tables tables_;
  const transport::Variant* variant_;
  int threads_;
  int steps_max_;
  SpanRecorder spans_;
  std::atomic<bool> cancel_{false};
  std::atomic<bool> live_wanted_{true};
  std::mutex live_mutex_;
  std::optional<LiveFrame> live_;
  std::vector<PlaneRequest> wanted_planes_;  // guarded by live_mutex_
  std::atomic<int> checkpoint_from_{-1};     // keyframes that are known already; below 0: nobody asks
  std::optional<RunResult> checkpoint_;      // guarded by live_mutex_
};

}  // namespace bb::engine
