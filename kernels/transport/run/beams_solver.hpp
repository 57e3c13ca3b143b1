#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "solver.hpp"
#include "transport/model/tables.hpp"

namespace bb::engine {

/// Results of one of many beams.
struct BeamScores {
  std::vector<double> dose;                             // [z][x] MeV, without the way in
  std::vector<double> crossing;                         // [z][Crossing::kCount]
  std::vector<StepTotals> totals;                       // a step each
  std::unique_ptr<transport::Secondaries> secondaries;  // where reactions are followed; its dose is not in `dose`
  double min_over_max = 0, cell_steps = 0;
};

/// One variant at work on many beams at once, which share tables and differ in their starts.
class BeamsSolver {
 public:
  static constexpr int kMostSlots = 3;

  virtual ~BeamsSolver() = default;

  /// Best number of beams per begin(), if there are more of them.
  virtual int at_once() const = 0;
  /// Slots that may be under way at a time, 1 to kMostSlots: the memory of a device may hold the beams of one only.
  virtual int slots() const = 0;
  /// Queues the beams that start so, each of one Start::Part, and returns without waiting for them. Beams of other slots
  /// may be under way. `all`: there are no others.
  virtual void begin(int slot, std::span<const transport::Start* const> starts, bool all) = 0;
  /// Waits for the slot's beams.
  virtual void finish(int slot) = 0;
  /// Results of beam `i` of them, valid until the slot's next begin(). Thread-safe.
  virtual BeamScores scores(int slot, std::size_t i) const = 0;
  virtual double state_bytes() const = 0;
};

/// `steps`: that a beam can need.
using BeamsSolverFactory = std::unique_ptr<BeamsSolver> (*)(const transport::Problem&, const transport::Tables&,
                                                            int steps);

}  // namespace bb::engine
