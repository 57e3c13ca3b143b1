#pragma once

#include <atomic>
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
  std::shared_ptr<const transport::DoseRows> rows;      // in place of `dose`
  std::vector<double> crossing;                         // [z][Crossing::kCount]
  std::vector<StepTotals> totals;                       // one per step
  std::unique_ptr<transport::Secondaries> secondaries;  // if reactions are followed; its dose is not in `dose`
  double min_over_max = 0, cell_steps = 0;
};

/// Solver of one variant for many beams at a time. The beams share tables and differ in their start.
class BeamsSolver {
 public:
  static constexpr int kMaxSlots = 3;

  virtual ~BeamsSolver() = default;

  /// Best number of beams per begin() if more are available.
  virtual int at_once() const = 0;
  /// Number of slots that may run at a time, 1 to kMaxSlots. A device's memory may only have room for one.
  virtual int slots() const = 0;
  /// Queues beams by their starts, each with one Start::Part, and returns without waiting for them. Beams of other
  /// slots may be running. `all`: these are the only beams.
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

/// Readouts of many beams, without maps.
struct BeamTable {
  std::vector<double> columns;   // [values of BeamReadouts][beams]; see transport/moments/beam_readouts.hpp
  std::vector<float> curves;     // [rows][beams] MeV/mm, mean over a row; empty unless requested
  int rows = 0;                  // rows of the map from the entrance on
  double march_s = 0;            // marches, with their rows: on the device, or of all threads together
  double readouts_s = 0;         // readouts from these rows, likewise
  double state_bytes = 0;        // memory in use while beams are solved
  std::vector<SetupPart> parts;  // set-up of the device
};

/// Solver that computes only the readouts of beams. The beams need not be those of its problem.
class ReadoutsSolver {
 public:
  virtual ~ReadoutsSolver() = default;

  /// `curves`: whether depth doses are returned too. After a cancellation, readouts are incomplete.
  virtual BeamTable solve(std::span<const transport::Beam> beams, bool curves, const std::atomic<bool>& cancel) = 0;
};

using ReadoutsSolverFactory = std::unique_ptr<ReadoutsSolver> (*)(const transport::Problem&);

}  // namespace bb::engine
