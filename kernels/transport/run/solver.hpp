#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/measuring.hpp"
#include "engine/spans.hpp"
#include "transport/model/faces.hpp"
#include "transport/model/tables.hpp"
#include "transport/secondaries/secondaries.hpp"

namespace bb::engine {

/// Axes of ψ, in storage order.
enum class Axis { kEnergy, kTheta, kZ, kX };
inline constexpr int kAxes = 4;

/// ψ over two axes. Each other axis is summed, or cut at one index.
struct PlaneRequest {
  static constexpr int kSummed = -1;
  Axis slow, fast;
  std::array<int, kAxes> cut{kSummed, kSummed, kSummed, kSummed};

  bool operator==(const PlaneRequest&) const = default;
};

struct Plane {
  PlaneRequest of;
  std::vector<float> values;  // [slow][fast], protons per cell
};

/// Balance of one step, in FP64. `in_flight` is the state after the step; all other values are changes. Values in
/// `number` are counts of protons, values in `energy` their energies in MeV.
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

  /// Counts `protons` of energy `each`, MeV, that leave through a face.
  void escape(transport::Face face, double protons, double each) {
    number.escaped[face] += protons;
    energy.escaped[face] += protons * each;
  }

  Side number, energy;
  double deposited = 0;  // MeV
};

/// Sums of ψ over the other two axes, FP32, row-major, with the first axis of the name slowest.
struct Marginals {
  int step = 0;
  double depth_mm = 0;  // mean depth of the protons in flight
  std::vector<float> zx, xtheta, etheta, ez, ex, ztheta;
};

/// Receives ψ row by row: cells from `first_x` on in energy bin `e`, angle bin `a` and row `z` of the map.
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

/// Solver of one problem by one variant. Not thread-safe: only the run loop uses it.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Takes 1 … `max_steps` steps and appends one entry per step. Returns early if `cancel` is set between two steps.
  virtual int advance(int max_steps, std::vector<StepTotals>& totals, SpanRecorder& spans,
                      const std::atomic<bool>& cancel) = 0;
  virtual void marginals(Marginals& out) = 0;
  /// Visits every row with non-zero cells. Returns false if ψ is not in the host's memory.
  virtual bool visit(RowVisitor&) const { return false; }
  /// If ψ is not in the host's memory: planes of ψ, summed on the device, in the order of the requests.
  virtual std::vector<Plane> planes(std::span<const PlaneRequest>) { return {}; }
  /// Dose so far, MeV per cell, [z][x].
  virtual std::span<const double> dose() = 0;
  /// The complete dose in place of dose(), if the problem needs no map and the variant can compute rows on request. It
  /// does not refer to the solver.
  virtual std::shared_ptr<const transport::DoseRows> dose_rows() { return nullptr; }
  /// Crossing moments so far, [z][Crossing::kCount].
  virtual std::span<const double> crossing() = 0;
  /// Reactions of protons so far, on the grid Tables::reactions; empty if that grid is empty. If it is not, a solver
  /// that records no reactions is rejected.
  virtual std::span<const double> reactions() { return {}; }
  /// Products of the reactions if the solver follows them itself; null if reactions() records them.
  virtual std::unique_ptr<transport::Secondaries> follow_products() { return nullptr; }
  virtual bool follows_products() const { return false; }
  /// Moments of tracks and spectra so far, in the layout of Tables::tracks. Empty if that is empty, or in variants that
  /// do not score them.
  virtual std::span<const double> tracks() { return {}; }

  /// Restarts with another start in the existing tables. Returns false if a new solver must be built instead.
  virtual bool restart(const transport::Problem&) { return false; }

  virtual double min_over_max() const = 0;                    // most negative ψ relative to the largest of its step
  virtual double cell_steps() const = 0;                      // cells visited, summed over steps
  virtual double state_bytes() const = 0;                     // peak memory of ψ
  virtual double flops_per_cell_step() const { return 0.0; }  // as in work.hpp, if Tables::operators is used
  virtual double bytes_per_cell_step() const { return 0.0; }  // compulsory traffic, FP32; 0: the variant's value
  virtual double device_seconds() const { return 0.0; }       // time in steps by the GPU's clock; 0 on the CPU
  virtual std::vector<SetupPart> setup_parts() const { return {}; }

  /// Empties the caches before the next advance(); this is not timed.
  virtual void start_cold();
  /// From now on the launches of advance() are captured and replayed as one graph. The capture is not timed. Throws
  /// ProblemError('unsupported') if the solver launches no kernels.
  virtual void replay_graphs();
  /// Wall time of preparation within advance(): captures, and emptying caches.
  virtual double untimed_seconds() const { return 0.0; }
};

/// Accumulators of every CPU solver. They start with the dose of the entry path.
class Scores {
 public:
  /// `reactions`: whether the solver records them; `dose`: whether it fills a map.
  explicit Scores(const transport::Tables& tables, bool reactions = true, bool dose = true)
      : dose_(dose ? tables.plane() : 0, 0.0),
        crossing_(static_cast<std::size_t>(tables.nz) * Crossing::kCount, 0.0),
        reactions_(reactions ? tables.reactions.size() : 0, 0.0),
        tracks_(tables.tracks.size(), 0.0) {
    if (!dose) return;
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
