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

/// Reason why a run ended early; `code` as in ProblemError.
struct Failure {
  std::string code, message;
};

/// Moments of the tracks of protons, three fields [z][x] each: mm, MeV, MeV²/mm (see physics::TrackMoments).
struct TrackResult {
  std::vector<double> primary;  // primary protons that have not reacted
  std::vector<double> protons;  // includes protons from nuclear reactions, if these are followed
  std::vector<double> spectra;  // [rows][ne] of Tables::tracks: mm of track of the primary protons by bin
};

struct RunResult {
  bool cancelled = false;
  std::optional<Failure> failure;  // set if the device failed; the other fields have the results up to then
  int steps = 0;
  int threads = 1;
  std::string isa;
  double setup_s = 0, solve_s = 0;
  double device_s = 0;                 // time in steps by the GPU's clock; 0 on the CPU
  std::vector<SetupPart> setup_parts;  // parts of setup_s
  double cell_steps = 0, state_bytes = 0;
  double bytes_per_cell_step = 0;  // value of the kernels that ran, FP32; FP64 moves twice as many
  double flops_per_cell_step = 0;  // value of this problem's operators
  double min_over_max = 0;
  std::vector<double> dose, crossing;
  std::shared_ptr<const transport::DoseRows> dose_rows;  // in place of `dose`, for beams without maps
  std::vector<LedgerRow> number, energy;
  std::vector<Marginals> keyframes;
  std::optional<transport::Secondaries> secondaries;  // if reactions are followed; `dose` includes its dose
  std::optional<TrackResult> tracks;
  double secondaries_s = 0;  // not included in solve_s, because a GPU's steps do not include it either
};

/// The latest view of a run in progress.
struct LiveFrame {
  Marginals marginals;
  std::vector<double> dose;
  std::vector<Plane> planes;  // as requested by want_planes
};

/// One solution of one problem. `execute` runs on the calling thread; `cancel`, `take_live`, `want_checkpoint` and
/// `take_checkpoint` may be called from any other thread.
class Run {
 public:
  /// Determines the layout of the grid and chooses the variant. The operators are built by `execute`. Throws
  /// ProblemError.
  explicit Run(transport::Problem problem);
  /// Uses `variant` instead of the variant that the problem names. `variant` must outlive the run.
  Run(transport::Problem problem, const transport::Variant& variant);

  const transport::Problem& problem() const { return problem_; }
  /// Tables with the sizes and axes only. Safe to read during the run.
  const transport::Tables& outline() const { return builder_.outline(); }
  const transport::TableBuilder& builder() const { return builder_; }
  /// Tables with the operators; complete once `execute` has returned.
  const transport::Tables& tables() const { return tables_; }
  const transport::Variant& variant() const { return *variant_; }
  bool on_gpu() const { return bb::on_gpu(*variant_); }
  double estimate_bytes() const { return variant_->estimate_bytes(problem_, outline()); }
  /// Estimate of the peak memory of `execute`, rather too high than too low: tables, ψ and results, without keyframes.
  /// For a GPU variant it is the GPU's memory. Takes milliseconds, because it computes a sample of the operators.
  double memory_bytes() const;
  /// Maximum number of steps of the slowest proton, limited by the scenario.
  int steps_max() const { return steps_max_; }
  int threads() const { return threads_; }
  /// One lane per thread. In a GPU run, lane 0 is the host and lane 1 the device.
  const SpanRecorder& spans() const { return spans_; }

  /// Starts the clock of the spans at the current time, not at the construction of the run. Call before `execute` if
  /// other clocks use the same origin.
  void begin() { spans_.close_gap(); }

  /// Solves the problem. `on_progress` is called from this thread at most 60 times a second, and once at the end.
  /// Throws ProblemError if there are no results. If a device fails later, the result has a `failure`.
  RunResult execute(const std::function<void(const Progress&)>& on_progress, const TimingOptions& measuring = {});

  void cancel() { cancel_.store(true); }
  /// Returns the latest frame and requests another; empty if none is ready. Does not wait for the run.
  std::optional<LiveFrame> take_live();
  /// Requests the current state, without the first `known` keyframes.
  void want_checkpoint(std::size_t known) { checkpoint_from_.store(static_cast<int>(known)); }
  /// Returns the last requested state, as the result of a run that ended there, without the known keyframes. Empty if
  /// none is ready. Does not wait for the run.
  std::optional<RunResult> take_checkpoint();
  /// Sets the planes that live frames contain in addition to the marginals, and replaces the earlier request. Throws
  /// ProblemError('invalid') for a repeated axis or an index outside the grid.
  void want_planes(std::vector<PlaneRequest> planes);

 private:
  class Execution;

  Run(transport::Problem problem, const transport::Variant* variant);
  void publish_live(Solver& solver);
  /// Result of a run that was cancelled before its tables were complete.
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
  std::atomic<int> checkpoint_from_{-1};     // number of known keyframes; < 0: no request
  std::optional<RunResult> checkpoint_;      // guarded by live_mutex_
};

}  // namespace bb::engine
