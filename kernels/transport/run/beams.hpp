#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "run.hpp"

namespace bb::engine {

/// Many beams on one grid: the spots of a problem, each solved by itself. They share tables: setting up takes once
/// what it takes for one. A GPU takes as many at a time as it holds; several share the list, each taking the next ones
/// when it has room.
///
/// The grid is the fastest beam's. A beam solved alone has range bins that begin where it does; here they begin where the
/// fastest does, and what it leaves differs by what the choice of bins changes.
class Beams {
 public:
  /// Results of one beam.
  struct Ended {
    std::size_t beam = 0;
    RunResult result;         // no keyframes and no spans; solve_s is its share of the time of those solved together
    transport::Tables alone;  // the outline with its own way in
  };

  /// Lays the grid out and chooses the variant. `devices`: the GPUs that share them, each as Problem::device; empty for
  /// that one. Throws ProblemError, also where beams differ in their angles or have no weight. Beams
  /// that react (physics.nuclear) need a variant that marches each by itself.
  explicit Beams(transport::Problem problem, std::vector<std::string> devices = {});

  const transport::Problem& problem() const { return run_.problem(); }
  const Run& run() const { return run_; }
  std::size_t count() const { return run_.problem().spots.size(); }
  /// Beams at the same time on the CPU.
  int lanes() const;

  /// Solves them all. `ended` is called for each as it ends, from one thread at a time, in any order; none is called for
  /// those that were not solved when someone cancelled. Throws ProblemError, after which beams that have ended stay. What
  /// a GPU leaves unsolved that fails is taken by the others; it throws where none is left.
  void execute(const std::function<void(Ended&&)>& ended);
  void cancel() { cancel_.store(true); }
  const std::atomic<bool>& cancelled() const { return cancel_; }

 private:
  struct Common;
  class OnDevice;
  void solve_on_devices(const Common& common, const std::function<void(Ended&&)>& ended);
  void solve_on_cores(const Common& common, const std::function<void(Ended&&)>& ended);

  std::vector<std::string> devices_;
  Run run_;
  std::atomic<bool> cancel_{false};
};

}  // namespace bb::engine
