#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "beams_solver.hpp"
#include "run.hpp"

namespace bb::engine {

/// Consecutive beams of a list.
struct BeamRange {
  std::size_t first = 0, count = 0;
};

/// The unsolved beams of a batch. Thread-safe: threads take beams and return those that they could not solve.
class BeamQueue {
 public:
  explicit BeamQueue(std::size_t count) : waiting_{{0, count}} {}

  /// Takes at most `most` consecutive beams; none if the queue is empty.
  BeamRange take(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    while (!waiting_.empty() && waiting_.back().count == 0) waiting_.pop_back();
    if (waiting_.empty()) return {};
    BeamRange& from = waiting_.back();
    const BeamRange taken{from.first, std::min(most, from.count)};
    from = {from.first + taken.count, from.count - taken.count};
    return taken;
  }

  /// Returns beams to the queue. They are taken before all others.
  void put_back(BeamRange beams) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(beams);
  }

  bool empty() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::all_of(waiting_, [](const BeamRange& each) { return each.count == 0; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<BeamRange> waiting_;
};

/// Many beams on one grid: the spots of a problem, each solved separately. They share tables, so that the setup takes
/// as long as for one beam. A GPU solves as many beams at a time as fit into its memory. Several GPUs share the list,
/// and each takes more beams when it has memory for them. The grid is that of the fastest beam. Its range bins start at
/// the energy of the fastest beam, but those of a beam solved alone start at its own energy. This changes the results
/// slightly.
class Beams {
 public:
  /// Results of one beam.
  struct FinishedBeam {
    std::size_t beam = 0;
    RunResult result;         // no keyframes or spans; solve_s is its share of the time of the beams solved together
    transport::Tables alone;  // the outline with the beam's own entry path
  };

  /// Determines the layout of the grid and chooses the variant. `devices`: the GPUs that share the beams, each as in
  /// Problem::device; if empty, only that one. Throws ProblemError, for example if beams differ in their angles or have
  /// no weight. Beams with reactions (physics.nuclear) need a variant that marches each beam separately.
  explicit Beams(transport::Problem problem, std::vector<std::string> devices = {});

  const transport::Problem& problem() const { return run_.problem(); }
  const Run& run() const { return run_; }
  std::size_t count() const { return run_.problem().spots.size(); }
  /// Number of beams solved at the same time on the CPU.
  int lanes() const;

  /// Whether beams can be solved without maps: their rows are then computed on request.
  bool has_rows() const;
  /// Solves all beams. Calls `ended` for each finished beam, from one thread at a time and in any order. Beams left
  /// unsolved by a cancellation are not reported. Throws ProblemError; finished beams keep their results. If a GPU
  /// fails, the others solve its unfinished beams. Throws if no GPU is left. `maps`: false if RunResult::dose_rows is
  /// enough.
  void execute(const std::function<void(FinishedBeam&&)>& ended, bool maps = true);
  /// Whether readouts() can solve beams.
  bool has_readouts() const;
  /// Solves `beams` for their readouts per entering proton. They may differ from the problem's beams in everything but
  /// direction and entry depth. None may have more energy than the problem's fastest beam. Throws ProblemError.
  BeamTable readouts(std::span<const transport::Beam> beams, bool curves);
  void cancel() { cancel_.store(true); }
  const std::atomic<bool>& cancelled() const { return cancel_; }

 private:
  struct Common;
  class DeviceSolver;
  void solve_on_devices(const Common& common, const std::function<void(FinishedBeam&&)>& ended);
  void solve_on_cores(const Common& common, const std::function<void(FinishedBeam&&)>& ended, bool maps);

  std::vector<std::string> devices_;
  Run run_;
  std::atomic<bool> cancel_{false};
};

}  // namespace bb::engine
