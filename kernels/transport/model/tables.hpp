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

/// Estimated maximum reach of the operators, before they are built.
struct Reach {
  int feeds = 1;  // maximum number of source bins, over materials and paths
  int half = 0;   // half width of the widest angle kernel
};

/// All physics that a step needs, as plain arrays. Built once per problem in FP64 and shared by all variants on CPU and
/// GPU. A step consists of the energy gather, the angle convolution, streaming in x and streaming in z. With path
/// stepping all protons have the same path (`classes` = 1). With depth stepping the path is Δz/cosθ, and the first two
/// tables have one class per angle (`classes` = ntheta; the class is a proton's angle at the start of the step).
/// Opposite angles have equal paths, so rows are stored per path.
struct Tables {
  int ne = 0, ntheta = 0, nz = 0, nx = 0;
  double dx = 0, dz = 0;              // mm
  int materials = 0, classes = 1;     // materials: those of the problem, then copies that differ in the path so far
  int paths = 1;                      // number of different paths
  std::vector<std::int32_t> path_of;  // [classes] index of the path
  std::vector<double> path_mm;        // [paths]

  /// Builds the rows of the operators for a consumer that computes them itself; valid while the TableBuilder exists.
  /// All arrays [paths·materials·ne] are then empty. Null if the tables contain the rows.
  std::shared_ptr<const StepOperators> operators;

  std::vector<double> energy;  // [ne] MeV of a proton in the bin, ascending
  std::vector<double> theta;   // [ntheta] rad from +z

  // Energy gather. Row (path, m, e') lists the source bins e of e' and their weights.
  std::vector<std::int32_t> gather_begin;  // [paths·materials·ne + 1]
  std::vector<std::int32_t> gather_source;
  std::vector<double> gather_weight;
  Reach most;          // estimate before the operators are built
  int reach_down = 0;  // bin e' has sources e' + reach_down … e' + reach_up
  int reach_up = 0;

  // Per proton at the start of a step in (path, m, e).
  std::vector<double> deposit;         // MeV left in the cell
  std::vector<double> stopped;         // fraction that ends below the cutoff
  std::vector<double> nuclear;         // fraction removed by nuclear reactions
  std::vector<double> nuclear_escape;  // MeV carried away by reactions; all proton energy if reactions are followed
  std::vector<double> stopped_path;    // last path of stopped protons, mm, times their fraction

  // Symmetric angle kernels. Row (path, m, e') has the weights at distances 0 … half.
  std::vector<std::int32_t> angle_begin;  // [paths·materials·ne + 1]
  std::vector<double> angle_weight;
  int angle_half_max = 0;

  // Streaming per angle.
  std::vector<physics::RemapShift> shift_x, shift_z;                    // [ntheta]
  std::vector<std::array<double, physics::kRemapTaps>> flux_x, flux_z;  // [ntheta]
  std::vector<double> plane_weight;                                     // [ntheta] planes crossed per step

  std::vector<std::uint8_t> map;     // [z][x]
  std::vector<std::uint8_t> origin;  // [materials] index of the problem's material; see split_thin_rows

  ReactionGrid reactions;  // grid on which reactions of the beam are recorded
  TrackScores tracks;      // data for LET and spectra

  Start start;

  double path_step = 0;         // mm of path (path stepping) or of depth (depth stepping)
  double depth_first_node = 0;  // mm
  double beam_range_mm = 0;     // CSDA range of the beam in water
  double spots_span_mm = 0;     // difference between the range of the fastest spot and that of the slowest one
  /// Excess of the scored length of tracks along the axis, because the last step is scored in full although protons stop
  /// within it.
  double end_excess_mm = 0;
  int axis_steps = 0;              // steps of a proton straight along the beam axis; 0 without a beam
  double extra_straggling_mm = 0;  // range spread from range bins and from steps of parts of cells
  double row_spread_mm = 0;        // approximate range spread from a tilted beam's thin rows

  /// Row of class `c`, material `m` and bin `e`.
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

/// Calls the tasks in order on the calling thread.
inline void one_after_the_other(int tasks, const std::function<void(int)>& task) {
  for (int i = 0; i < tasks; ++i) task(i);
}

/// Thrown if the construction was cancelled.
class Cancelled : public std::exception {};

/// Whether a device can compute the rows of a problem's operators: a range grid in FP32, without quantities that only
/// the host computes.
bool device_can_compute_rows(const Problem& problem);

/// Source of a solver's steps: the operators of the tables, or the solver's own planes, for which build_axes() is
/// enough.
enum class StepSource { kOperators, kOwnPlanes };

/// Determines the layout of a problem and builds its tables. The problem must outlive this object.
class TableBuilder {
 public:
  /// Throws ProblemError('invalid' | 'unsupported') with the value and the allowed values.
  explicit TableBuilder(const Problem& problem, const InParallel& in_parallel = one_after_the_other,
                        StepSource stepper = StepSource::kOperators);
  ~TableBuilder();

  /// The sizes, the axes and the entry path, without the operators.
  const Tables& outline() const;
  /// Throws Cancelled soon after `cancel` becomes true, because building many materials and angles takes minutes. If
  /// `rows_left`, a device will compute the rows of the operators.
  Tables build(const InParallel& in_parallel, const std::atomic<bool>* cancel = nullptr, bool rows_left = false) const;
  /// The outline for a solver with its own planes, whose beam starts in the row of the entrance: no operators, and no
  /// path to a first node.
  Tables build_axes() const;
  /// Like build_axes(), with spot `index` alone. Thread-safe.
  Tables axes_alone(std::size_t index) const;
  /// Approximate number of values in the rows of the operators, over all paths.
  RowCounts counted() const;
  /// The layout of the tables for spot `index` alone, with its entry path. Thread-safe.
  Tables alone(std::size_t index) const;
  /// Sets the quantities of spot `index` that readouts need; `whole` are the complete tables.
  void describe(std::size_t index, const Tables& whole, Tables& alone) const;

 private:
  class Layout;
  Tables along_axis(const StepOperators& operators, const Tables& all, const InParallel& in_parallel) const;

  std::unique_ptr<const Layout> layout_;
};

/// Builds the tables of a problem in one call. Throws like TableBuilder.
Tables build_tables(const Problem& problem);

}  // namespace bb::transport
