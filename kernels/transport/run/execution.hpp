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

/// A run under way, which lasts as long as Run::execute: the solver, the balance so far, and the data to show and to
/// save.
class Run::Execution {
 public:
  using OnProgress = std::function<void(const Progress&)>;

  /// Builds tables and solver, and keeps the first keyframe.
  Execution(Run& run, const OnProgress& on_progress, const Measuring& measuring);

  /// Steps until nothing is left, the steps are done or someone cancels.
  RunResult solve();

 private:
  /// Records the work since then that was no step, as a span of the calling thread.
  void record(const char* name, cpu::Clock::time_point since) const;
  /// False where the solver took no step.
  bool take_steps();
  /// Pictures, progress and copies of the state, after steps.
  void observe();
  void report(double seconds, double steps_ahead) const;

  /// The step of keyframe `k`; the last one is the end of the run, wherever that is.
  int keyframe_step(int k) const;
  void keep_keyframe();
  /// Brings what a device holds to the host now and then: it is lost with the device.
  void keep_safe();
  void keep_checkpoint(std::size_t known_keyframes);

  /// Parts of a result that change with every step, except ledger and keyframes.
  void describe(RunResult& result) const;
  TrackResult tracks() const;
  /// Takes what nuclear reactions have taken on to where it ends.
  void follow_reactions();
  RunResult finish();
  /// Results in the host's memory when the device failed.
  RunResult failed(Failure why);

  double seconds() const { return cpu::seconds_since(solving_); }

  Run& run_;
  const OnProgress& on_progress_;
  const Measuring& measuring_;
  RunResult result_;  // ledger and what describe() adds come at the end
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
  double observing_ = 0.0;         // seconds spent on pictures, not on solving
  std::optional<RunResult> safe_;  // without ledger and keyframes
  double kept_at_ = 0.0, keeping_ = 0.0;
};

}  // namespace bb::engine
