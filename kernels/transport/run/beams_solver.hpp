#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "solver.hpp"
#include "transport/model/tables.hpp"

namespace bb::engine {

/// Results of one beam of a batch.
struct BeamScores {
  std::vector<double> dose;                             // [z][x] MeV, without the entry path
  std::vector<double> crossing;                         // [z][Crossing::kCount]
  std::vector<StepTotals> totals;                       // one per step
  std::unique_ptr<transport::Secondaries> secondaries;  // if reactions are followed; its dose is not in `dose`
  double min_over_max = 0, cell_steps = 0;
};

/// Solver of one variant for many beams at a time, which share tables and differ in their starts.
class BeamsSolver {
 public:
  static constexpr int kMaxSlots = 3;

  virtual ~BeamsSolver() = default;

  /// Best number of beams per begin() if more are available.
  virtual int at_once() const = 0;
  /// Number of slots that may run at a time, 1 to kMaxSlots. A device's memory may only have room for one.
  virtual int slots() const = 0;
  /// Queues beams by their starts, each with one Start::Part, and returns without waiting for them. Beams of other
  /// slots may be running. `all`: there are no other beams.
  virtual void begin(int slot, std::span<const transport::Start* const> starts, bool all) = 0;
  /// Waits for the beams of a slot.
  virtual void finish(int slot) = 0;
  /// Results of beam `i` of the slot, valid until the slot's next begin(). Thread-safe.
  virtual BeamScores scores(int slot, std::size_t i) const = 0;
  virtual double state_bytes() const = 0;
};

/// `steps`: maximum number of steps of a beam.
using BeamsSolverFactory = std::unique_ptr<BeamsSolver> (*)(const transport::Problem&, const transport::Tables&,
                                                            int steps);

}  // namespace bb::engine
