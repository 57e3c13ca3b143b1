#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "solver.hpp"
#include "transport/model/tables.hpp"

namespace bb::engine {

/// What one of many beams leaves.
struct BeamScores {
  std::vector<double> dose;        // [z][x] MeV, without the way in
  std::vector<double> crossing;    // [z][Crossing::kCount]
  std::vector<StepTotals> totals;  // a step each
  double min_over_max = 0, cell_steps = 0;
};

/// One variant at work on many beams at once, which share tables and differ in their starts.
class BeamsSolver {
 public:
  virtual ~BeamsSolver() = default;

  /// How many beams begin() is best given.
  virtual int at_once() const = 0;
  /// Queues the beams that start so, each of one Start::Part, and returns without waiting for them.
  virtual void begin(std::span<const transport::Start* const> starts) = 0;
  /// Waits for those. Seconds by the device's clock that their steps took.
  virtual double finish() = 0;
  /// What beam `i` of them has left; until finish() has waited for those that begin() was given next. Any number of threads
  /// may ask at once.
  virtual BeamScores scores(std::size_t i) const = 0;
  virtual double state_bytes() const = 0;
};

/// `steps`: that a beam can need.
using BeamsSolverFactory = std::unique_ptr<BeamsSolver> (*)(const transport::Problem&, const transport::Tables&,
                                                            int steps);

}  // namespace bb::engine
