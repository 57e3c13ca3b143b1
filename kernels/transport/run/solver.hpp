#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/setup_part.hpp"
#include "engine/spans.hpp"
#include "planes.hpp"
#include "transport/model/faces.hpp"
#include "transport/model/tables.hpp"
#include "transport/secondaries/secondaries.hpp"

namespace bb::engine {

/// Balance of one step, in FP64: `in_flight` is the state after the step, the rest are its changes. Numbers of protons,
/// and the same as energy in MeV.
struct StepTotals {
  struct Side {
    double in_flight = 0, stopped = 0;
    std::array<double, transport::kFaces> escaped{};  // by Face
    double nuclear = 0, skipped = 0;

    void add(const Side& other) {
      in_flight += other.in_flight;
      stopped += other.stopped;
      for (std::size_t face = 0; face < escaped.size(); ++face) escaped[face] += other.escaped[face];
      nuclear += other.nuclear;
      skipped += other.skipped;
    }
  };

  /// `protons` of energy `each`, MeV, leave through a face.
  void escape(transport::Face face, double protons, double each) {
    number.escaped[face] += protons;
    energy.escaped[face] += protons * each;
  }

  Side number, energy;
  double deposited = 0;  // MeV
};

/// Sums of ψ over the other two axes, FP32, row-major in the order of the names.
struct Marginals {
  int step = 0;
  double depth_mm = 0;  // mean depth of the protons in flight
  std::vector<float> zx, xtheta, etheta, ez, ex, ztheta;
};

/// Takes ψ row by row: cells `first_x` … of energy bin `e`, angle bin `a` and row `z` of the map.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;
  virtual void row(int e, int a, int z, int first_x, std::span<const float> cells) = 0;
  virtual void row(int e, int a, int z, int first_x, std::span<const double> cells) = 0;
};

/// Moments of the planar fluence at the centre of each z cell.
struct Crossing {
  enum { kN, kX, kXX, kTheta, kThetaTheta, kXTheta, kCount };
};

/// One variant at work on one problem. Not thread-safe: the run loop owns it.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Advances by 1 … `max_steps` steps and appends one entry per step done. Returns at once when
  /// `cancel` is set between two steps.
  virtual int advance(int max_steps, std::vector<StepTotals>& totals, SpanRecorder& spans,
                      const std::atomic<bool>& cancel) = 0;
  virtual void marginals(Marginals& out) = 0;
  /// Shows every row that is not zero throughout. False where ψ is not in the host's memory.
  virtual bool visit(RowVisitor&) const { return false; }
  /// Otherwise planes of ψ, summed where it is, in the order of the requests.
  virtual std::vector<Plane> planes(std::span<const PlaneRequest>) { return {}; }
  /// MeV per cell so far, [z][x].
  virtual std::span<const double> dose() = 0;
  /// [z][Crossing::kCount] so far.
  virtual std::span<const double> crossing() = 0;
  /// Protons that have reacted so far, on the grid Tables::reactions; empty where that is. A solver that leaves it empty
  /// elsewhere is refused.
  virtual std::span<const double> reactions() { return {}; }
  /// Products of the reactions, where the solver follows them itself; null where reactions() records them.
  virtual std::unique_ptr<transport::Secondaries> follow_products() { return nullptr; }
  virtual bool follows_products() const { return false; }
  /// Moments of tracks and spectra so far, as Tables::tracks lays them out; empty where that is, or in variants that do
  /// not score them.
  virtual std::span<const double> tracks() { return {}; }

  /// Restarts with another start in the existing tables. Returns false if a new solver must be built instead.
  virtual bool restart(const transport::Problem&) { return false; }

  virtual double min_over_max() const = 0;                    // most negative ψ over the largest of its step
  virtual double cell_steps() const = 0;                      // cells visited, summed over steps
  virtual double state_bytes() const = 0;                     // peak memory of ψ
  virtual double flops_per_cell_step() const { return 0.0; }  // where Tables::operators made the rows: as in work.hpp
  virtual double bytes_per_cell_step() const { return 0.0; }  // compulsory, FP32; 0: as the variant states
  virtual double device_seconds() const { return 0.0; }       // spent in steps by the GPU's clock; 0 on the CPU
  virtual std::vector<SetupPart> setup_parts() const { return {}; }

  /// The next advance() finds nothing of the state in the caches; emptying them is not timed.
  virtual void start_cold();
  /// From now on what advance() launches is captured first and replayed as one graph; the capture is not
  /// timed. Throws ProblemError('unsupported') where nothing is launched.
  virtual void replay_graphs();
  /// Wall time inside advance() that is preparation: captures, and emptying caches.
  virtual double untimed_seconds() const { return 0.0; }
};

/// Accumulators that every CPU solver has, with the scoring of one row of cells.
class Scores {
 public:
  /// `reactions`: whether the solver records them.
  explicit Scores(const transport::Tables& tables, bool reactions = true)
      : dose_(tables.plane(), 0.0),
        crossing_(static_cast<std::size_t>(tables.nz) * Crossing::kCount, 0.0),
        reactions_(reactions ? tables.reactions.size() : 0, 0.0),
        tracks_(tables.tracks.size(), 0.0) {
    const std::vector<double>& entry = tables.start.entry_dose;
    const std::size_t row = static_cast<std::size_t>(tables.start.entry_z) * static_cast<std::size_t>(tables.nx);
    for (std::size_t x = 0; x < entry.size(); ++x) dose_[row + x] += entry[x];
  }

  std::vector<double>& dose() { return dose_; }
  std::vector<double>& crossing() { return crossing_; }
  std::vector<double>& reactions() { return reactions_; }
  std::vector<double>& tracks() { return tracks_; }
  const std::vector<double>& dose() const { return dose_; }
  const std::vector<double>& crossing() const { return crossing_; }

  void extremes(double low, double high) {
    if (high > 0.0) min_over_max_ = std::min(min_over_max_, low / high);
  }
  double min_over_max() const { return min_over_max_; }

 private:
  std::vector<double> dose_, crossing_, reactions_, tracks_;
  double min_over_max_ = 0.0;
};

using SolverFactory = std::unique_ptr<Solver> (*)(const transport::Problem&, const transport::Tables&, int threads);

}  // namespace bb::engine
