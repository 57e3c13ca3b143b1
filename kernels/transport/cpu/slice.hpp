#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/model/typed_tables.hpp"
#include "transport/run/score_fields.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Operator tables for the fused step. A slice is one bin at all angles, so the rows of a bin at all angles are
/// adjacent here. In `Tables` these rows are far apart in memory.
template <typename T>
struct TablesByBin : TypedTables<T> {
  explicit TablesByBin(const Tables& tables);

  std::vector<std::int32_t> gather_begin;  // [materials·ne·paths + 1]
  std::vector<std::int32_t> gather_source;
  std::vector<std::int32_t> angle_begin;  // [materials·ne·paths + 1]
  std::vector<std::int32_t> path_of;      // [classes]
  /// Contribution of a proton to the sums over a plane, by angle: its weight, weight times angle, and weight times
  /// angle squared.
  std::vector<std::array<T, 3>> plane_weight;
  int ne = 0, paths = 1;

  /// The row of class `c`, material `m` and bin `e`.
  std::size_t row(int c, int m, int e) const {
    return (static_cast<std::size_t>(m) * static_cast<std::size_t>(ne) + static_cast<std::size_t>(e)) *
               static_cast<std::size_t>(paths) +
           static_cast<std::size_t>(path_of[static_cast<std::size_t>(c)]);
  }
};

extern template struct TablesByBin<float>;
extern template struct TablesByBin<double>;

// A slice is the part of phase space in one energy bin. The fused step computes each slice from the slices of its
// source bins. `fused` gives every slice the whole grid; `window` and `depth` give each slice the box that its protons
// fill.

/// Half-open bounds in z, angle and x.
struct Box {
  int z0 = 0, z1 = 0, a0 = 0, a1 = 0, x0 = 0, x1 = 0;

  bool empty() const { return z0 >= z1 || a0 >= a1 || x0 >= x1; }
  void include(const Box& other) {
    if (other.empty()) return;
    if (empty()) {
      *this = other;
      return;
    }
    z0 = std::min(z0, other.z0);
    z1 = std::max(z1, other.z1);
    a0 = std::min(a0, other.a0);
    a1 = std::max(a1, other.a1);
    x0 = std::min(x0, other.x0);
    x1 = std::max(x1, other.x1);
  }
};

inline constexpr int kRowAlign = 16;  // columns: one AVX-512 vector of floats; rows start at a multiple

/// Number of angles that a step processes together, stage by stage. A stage reads across the vectors that the previous
/// stage stored. With one angle at a time, these loads would wait until the stores reach the cache.
inline constexpr int kRowsTogether = 8;

inline constexpr int align_down(int x) { return x / kRowAlign * kRowAlign; }
inline constexpr int align_up(int x) { return (x + kRowAlign - 1) / kRowAlign * kRowAlign; }

/// Number of columns on either side of a row that the remap reads if protons move by `low` to `high` columns.
inline int remap_margin(int low, int high) {
  return align_up(high - low + physics::kRemapReach + kRowAlign) + 2 * kRowAlign;
}

/// ψ of one energy bin over `box`, stored [z][angle][x] with rows padded to whole vectors; cells of
/// the storage outside the box are zero.
template <typename T>
struct Slice {
  Box box;
  int zs = 0, as = 0, xs = 0;  // first stored cell
  int nz = 0, na = 0, pitch = 0;
  T* data = nullptr;

  std::size_t size() const {
    return static_cast<std::size_t>(nz) * static_cast<std::size_t>(na) * static_cast<std::size_t>(pitch);
  }
  T* row(int z, int a) const { return data + (static_cast<std::ptrdiff_t>(z - zs) * na + (a - as)) * pitch; }
  /// Sets the shape of the storage for `bounds`; the caller provides `data`.
  void shape(const Box& bounds) {
    box = bounds;
    zs = bounds.z0;
    nz = bounds.empty() ? 0 : bounds.z1 - bounds.z0;
    as = bounds.a0;
    na = bounds.a1 - bounds.a0;
    xs = align_down(bounds.x0);
    pitch = align_up(bounds.x1) - xs;
  }
};

/// Inputs of a step in addition to the slices.
template <typename T>
struct SliceContext {
  const Tables* tables;
  const TablesByBin<T>* typed;
  bool depth;  // depth stepping: slices have one row of z, the plane `plane`
  int plane;
};

/// Content that left the grid, in protons.
struct SliceLoss {
  double through[kFaces] = {};
  double& operator[](int face) { return through[face]; }
  double operator[](int face) const { return through[face]; }
};

/// Sums over a slice at the start of a step.
struct SliceScore {
  double deposited = 0, stopped = 0, nuclear = 0, nuclear_energy = 0;
};

/// Scores of a slice in one step, for each row of z: arrays of `pitch` columns, summed over the slice's angles.
/// kReacted is used only if the tables record reactions, kPathLength only if path lengths differ by angle.
enum DeferredRow {
  kNumber,
  kDeferredDose,
  kDeferredCurrent,
  kDeferredTheta,
  kDeferredThetaTheta,
  kReacted,
  kPathLength,
  kDeferredRows
};

template <typename T>
struct DeferredScores {
  int bin = 0;
  int z0 = 0, z1 = 0;  // rows of the map
  int xs = 0, pitch = 0;
  T* rows = nullptr;

  DeferredScores(int of_bin, const Slice<T>& slice, bool depth, int plane)
      : bin(of_bin),
        z0(depth ? plane : slice.box.z0),
        z1(depth ? plane + 1 : slice.box.z1),
        xs(slice.xs),
        pitch(slice.pitch) {}
  std::size_t size() const {
    return static_cast<std::size_t>(z1 - z0) * kDeferredRows * static_cast<std::size_t>(pitch);
  }
  T* row(int z, int which) const {
    return rows + (static_cast<std::ptrdiff_t>(z - z0) * kDeferredRows + which) * pitch;
  }
};

/// Half-open ranges: rows z0 … z1 of the grid and columns x0 … x1.
struct Tile {
  int z0, z1, x0, x1;
};

/// Result arrays to which slices add, in the layout of Scores: four fields [z][x] (see ScorePlane), and reactions and
/// tracks if the tables enable them.
struct ScoreFields {
  double *planes, *reactions, *tracks;
};

/// Content and extremes of a slice after a step. The arrays `plane`, `angle` and `column` of SliceOps::measure receive
/// its sums over the other two axes, from the first stored cell on.
struct SliceMeasure {
  double number = 0, low = 0, high = 0;
};

template <typename T>
struct SliceOps {
  /// Fills `out` (shape set, values not yet written) from `sources` (ne slices by bin). `scratch` has at least
  /// slice_scratch_size() values.
  SliceLoss (*advance)(const SliceContext<T>& context, int bin, const Slice<T>* sources, const Box& from, int half,
                       const Slice<T>& out, T* scratch);
  /// Fills the rows of `left`. score[1] also adds the slice's bins of the spectra to `tracks` if the tables enable
  /// them; score[0] is compiled without tracks.
  SliceScore (*score[2])(const SliceContext<T>& context, const Slice<T>& slice, const DeferredScores<T>& left,
                         double* tracks);
  /// Adds the scores of `n` slices in a tile to the fields, one slice after the other; add_deferred[1] includes tracks. If
  /// reactions are recorded, a tile consists of whole planes and columns of their grid.
  void (*add_deferred[2])(const SliceContext<T>& context, const DeferredScores<T>* left, std::size_t n,
                          const Tile& tile, const ScoreFields& to);
  SliceMeasure (*measure)(const Slice<T>& slice, double* plane, double* angle, T* column);
};

/// Number of scratch values that advance() and measure() need for a step from `from` into `out`.
std::size_t slice_scratch_size(const Tables& tables, const Box& from, const Box& out);

/// The operations compiled for the best instruction set of this CPU.
template <typename T>
const SliceOps<T>& slice_ops();

}  // namespace bb::transport
