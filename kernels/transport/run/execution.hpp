#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/stopwatch.hpp"
#include "ledger.hpp"
#include "run.hpp"
#include "step_spread.hpp"

namespace bb::engine {

/// Transports the products of a solver's reactions to the positions where they deposit their energy: in the solver, or
/// by columns if it only records reactions. Null if there are none.
std::unique_ptr<transport::Secondaries> follow_products(Solver& solver, const transport::Problem& problem,
                                                        const transport::Tables& tables, int threads);

/// State of a run during Run::execute: the solver, the balance so far, and the data to show and to save.
class Run::Execution {
 public:
  using OnProgress = std::function<void(const Progress&)>;

  /// Builds the tables and the solver, and saves the first keyframe.
  Execution(Run& run, const OnProgress& on_progress, const TimingOptions& measuring);

  /// Takes steps until no protons are left, the steps are done or the run is cancelled.
  RunResult solve();

 private:
  /// Records the work since `since`, other than steps, as a span of the calling thread.
  void record(const char* name, cpu::Clock::time_point since) const;
  /// Returns false if the solver took no step.
  bool take_steps();
  /// Updates the live frame, the progress and copies of the state after steps.
  void observe();
  void report(double seconds, double steps_ahead) const;

  /// Step of keyframe `k`. The last keyframe is at the end of the run, at whatever step that is.
  int keyframe_step(int k) const;
  void keep_keyframe();
  /// Copies results from the device to the host at intervals, because a failing device would lose them.
  void keep_safe();
  void keep_checkpoint(std::size_t known_keyframes);

  /// Sets the fields of a result that change with every step, except ledger and keyframes.
  void describe(RunResult& result) const;
  TrackResult tracks() const;
  /// Adds the products of nuclear reactions to the result and to the balance.
  void follow_reactions();
  RunResult finish();
  /// Returns the results in the host's memory after the device has failed.
  RunResult failed(Failure why);

  double seconds() const { return cpu::seconds_since(solving_); }

  Run& run_;
  const OnProgress& on_progress_;
  const TimingOptions& measuring_;
  RunResult result_;  // ledger and the fields of describe() are added at the end
  std::unique_ptr<Solver> solver_;
  std::optional<Ledger> ledger_;
  std::optional<StepSpread> spread_;
  double flops_per_cell_step_ = 0.0;
  int expected_steps_ = 0;
  int next_keyframe_ = 0;
  int step_ = 0;
  bool finished_ = false;
  std::vector<StepTotals> totals_;
  cpu::Clock::time_point solving_;
  double last_report_ = -1.0;
  double observing_ = 0.0;         // seconds spent on live frames, not on solving
  std::optional<RunResult> safe_;  // without ledger and keyframes
  double kept_at_ = 0.0, keeping_ = 0.0;
};

}  // namespace bb::engine
