#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "entry/start.hpp"
#include "filled_value.hpp"
#include "physics/remap.hpp"
#include "problem.hpp"
#include "reaction_grid.hpp"
#include "track_scores.hpp"

namespace bb::transport {

class StepOperators;
struct RowCounts;

/// Largest reach of the operators, before they are built.
struct Reach {
  int feeds = 1;  // bins that feed one, over materials and paths
  int half = 0;   // of the widest angle kernel
};

/// Everything that one step needs to know about the physics, as plain arrays: built once per
/// problem in FP64, shared by every variant on CPU and GPU.
///
/// One step is: energy gather, then angle convolution, then streaming in x, then in z. With path
/// stepping the path is the same for all protons (`classes` = 1); with depth stepping it is
/// Δz/cosθ and the first two tables have one class per angle (`classes` = ntheta; the class is the
/// angle that a proton has when it starts the step). Angles to either side of the axis go the same path: their rows are
/// those of the path.
struct Tables {
  int ne = 0, ntheta = 0, nz = 0, nx = 0;
  double dx = 0, dz = 0;              // mm
  int materials = 0, classes = 1;     // materials: those of the problem, and copies that differ in the path so far
  int paths = 1;                      // that differ
  std::vector<std::int32_t> path_of;  // [classes]
  std::vector<double> path_mm;        // [paths]

  /// Builder of the operators' rows if the consumer builds them itself; valid as long as the TableBuilder exists. All
  /// that is [paths·materials·ne] is empty then. Null if the rows are here.
  std::shared_ptr<const StepOperators> operators;

  std::vector<double> energy;  // [ne] MeV that a proton of the bin holds, ascending
  std::vector<double> theta;   // [ntheta] rad from +z

  // Energy gather. Row (path, m, e') lists the bins e that feed e' and with what weight.
  std::vector<std::int32_t> gather_begin;  // [paths·materials·ne + 1]
  std::vector<std::int32_t> gather_source;
  std::vector<double> gather_weight;
  Reach most;          // before the operators are made
  int reach_down = 0;  // a bin is fed from e' + reach_down … e' + reach_up
  int reach_up = 0;

  // Per proton that starts the step in (path, m, e).
  std::vector<double> deposit;         // MeV left in the cell
  std::vector<double> stopped;         // fraction that ends below the cutoff
  std::vector<double> nuclear;         // fraction removed by nuclear reactions
  std::vector<double> nuclear_escape;  // MeV carried away by them; where reactions are followed, all that they take
  std::vector<double> stopped_path;    // mm that the stopped go from the start of the step, times their fraction

  // Angle kernels, symmetric: row (path, m, e') holds the weights of distance 0 … half.
  std::vector<std::int32_t> angle_begin;  // [paths·materials·ne + 1]
  std::vector<double> angle_weight;
  int angle_half_max = 0;

  // Streaming per angle.
  std::vector<physics::RemapShift> shift_x, shift_z;                    // [ntheta]
  std::vector<std::array<double, physics::kRemapTaps>> flux_x, flux_z;  // [ntheta]
  std::vector<double> plane_weight;                                     // [ntheta] planes crossed per step

  std::vector<std::uint8_t> map;     // [z][x]
  std::vector<std::uint8_t> origin;  // [materials] the problem's material that each is; see split_thin_rows

  ReactionGrid reactions;  // where those of the beam's protons are recorded
  TrackScores tracks;      // what LET and spectra are made from

  Start start;

  double path_step = 0;            // mm of path (path stepping) or of depth (depth stepping)
  double depth_first_node = 0;     // mm
  double beam_range_mm = 0;        // CSDA range of the beam in water
  double spots_span_mm = 0;        // by which that of the slowest spot is shorter
  double end_excess_mm = 0;        // by which tracks along the axis are scored longer than they are: the last step
                                   // counts whole, and protons end inside it
  int axis_steps = 0;              // of a proton straight along the beam axis; 0 without a beam
  double extra_straggling_mm = 0;  // range spread that range bins and steps of parts of cells add to the beam
  double row_spread_mm = 0;        // the same of a tilted beam's thin rows, about

  /// The row of a class.
  std::size_t row(int c, int m, int e) const { return path_row(path_of[static_cast<std::size_t>(c)], m, e); }
  std::size_t path_row(int path, int m, int e) const {
    return (static_cast<std::size_t>(path) * static_cast<std::size_t>(materials) + static_cast<std::size_t>(m)) *
               static_cast<std::size_t>(ne) +
           static_cast<std::size_t>(e);
  }
  std::size_t cells() const {
    return static_cast<std::size_t>(ne) * static_cast<std::size_t>(ntheta) * static_cast<std::size_t>(nz) *
           static_cast<std::size_t>(nx);
  }
  std::size_t plane() const { return static_cast<std::size_t>(nz) * static_cast<std::size_t>(nx); }
};

/// Calls task(0) … task(tasks - 1), in any order and on any threads, and returns when all are done.
using InParallel = std::function<void(int tasks, const std::function<void(int)>& task)>;

/// On the calling thread alone.
inline void one_after_the_other(int tasks, const std::function<void(int)>& task) {
  for (int i = 0; i < tasks; ++i) task(i);
}

/// Somebody has cancelled what was being built.
class Cancelled : public std::exception {};

/// Whether a device can make the rows of a problem's operators itself: those of a range grid in FP32, without what the
/// host follows from row to row.
bool rows_can_be_left(const Problem& problem);

/// Step mode of a solver: by the operators of the tables, or by its own planes, for which build_axes() is enough.
enum class Stepper { kOperators, kOwnPlanes };

/// Lays a problem out and builds its tables. The problem must outlive it.
class TableBuilder {
 public:
  /// Throws ProblemError('invalid' | 'unsupported') with the value and what is allowed.
  explicit TableBuilder(const Problem& problem, const InParallel& in_parallel = one_after_the_other,
                        Stepper stepper = Stepper::kOperators);
  ~TableBuilder();

  /// The sizes, the axes and the beam's way in, without the operators.
  const Tables& outline() const;
  /// Throws Cancelled soon after `cancel` is true: many materials and angles take minutes.
  /// `rows_left`: without the rows of the operators, which a device makes.
  Tables build(const InParallel& in_parallel, const std::atomic<bool>* cancel = nullptr, bool rows_left = false) const;
  /// The outline with what enters in the row of the entrance itself, for a solver that steps by planes of its own: no
  /// operators, no way to a first node.
  Tables build_axes() const;
  /// The same with spot `index` alone. Any number of threads may ask at once.
  Tables axes_alone(std::size_t index) const;
  /// Approximate number of values in the rows of the operators, of all paths.
  RowCounts counted() const;
  /// The outline with spot `index` alone, and its way in. Any number of threads may ask at once.
  Tables alone(std::size_t index) const;
  /// Fills in what readouts need to know of that spot; `whole` are the tables that were built.
  void describe(std::size_t index, const Tables& whole, Tables& alone) const;

 private:
  class Layout;
  Tables along_axis(const StepOperators& operators, const Tables& all, const InParallel& in_parallel) const;

  std::unique_ptr<const Layout> layout_;
};

/// The tables of a problem, at once. Throws as TableBuilder.
Tables build_tables(const Problem& problem);

}  // namespace bb::transport
