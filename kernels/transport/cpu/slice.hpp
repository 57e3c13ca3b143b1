#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tables_by_bin.hpp"
#include "transport/run/score_fields.hpp"
#include "transport/run/solver.hpp"

// One energy bin's part of phase space, and the fused step that makes it from its sources. The
// fused variants share this: `fused` gives every slice the whole grid, `window` and `depth` give it
// the box that its protons fill.
namespace bb::transport {

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

inline constexpr int kRowAlign = 16;  // columns: one AVX-512 vector of floats; rows start on a multiple

/// Angles that go through the stages of a step together. A stage reads across the vectors that the one before wrote, and
/// waits for them while they are on their way to the cache.
inline constexpr int kRowsTogether = 8;

inline constexpr int align_down(int x) { return x / kRowAlign * kRowAlign; }
inline constexpr int align_up(int x) { return (x + kRowAlign - 1) / kRowAlign * kRowAlign; }

/// Columns on either side of a row that its remap reads, where protons move by `low` to `high` columns.
inline int remap_margin(int low, int high) {
  return align_up(high - low + physics::kRemapReach + kRowAlign) + 2 * kRowAlign;
}

/// ψ of one energy bin over `box`, stored [z][angle][x] with rows padded to whole vectors; cells of
/// the storage outside the box are zero.
template <typename T>
struct Slice {
  Box box;
  int zs = 0, as = 0, xs = 0;  // cell stored first
  int nz = 0, na = 0, pitch = 0;
  T* data = nullptr;

  std::size_t size() const {
    return static_cast<std::size_t>(nz) * static_cast<std::size_t>(na) * static_cast<std::size_t>(pitch);
  }
  T* row(int z, int a) const { return data + (static_cast<std::ptrdiff_t>(z - zs) * na + (a - as)) * pitch; }
  /// Lays the storage out for `bounds`; the caller provides `data`.
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
  bool depth;  // depth stepping: slices have one row of z, which is the plane `plane`
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

/// Scores of each row of z of a slice in a step, by column: rows of its pitch, summed over its angles. kReacted and kWay
/// hold something only where the tables record reactions, or ways differ by angle.
enum LeftRow { kNumber, kLeftDose, kLeftCurrent, kLeftTheta, kLeftThetaTheta, kReacted, kWay, kLeftRows };

template <typename T>
struct Left {
  int bin = 0;
  int z0 = 0, z1 = 0;  // of the map
  int xs = 0, pitch = 0;
  T* rows = nullptr;

  Left(int of_bin, const Slice<T>& slice, bool depth, int plane)
      : bin(of_bin),
        z0(depth ? plane : slice.box.z0),
        z1(depth ? plane + 1 : slice.box.z1),
        xs(slice.xs),
        pitch(slice.pitch) {}
  std::size_t size() const { return static_cast<std::size_t>(z1 - z0) * kLeftRows * static_cast<std::size_t>(pitch); }
  T* row(int z, int which) const { return rows + (static_cast<std::ptrdiff_t>(z - z0) * kLeftRows + which) * pitch; }
};

/// Rows of z of the map and columns, half-open.
struct Tile {
  int z0, z1, x0, x1;
};

/// The results that slices add to, as Scores has them: four fields [z][x] (see ScorePlane), and where the tables say so
/// reactions and tracks.
struct ScoreFields {
  double *planes, *reactions, *tracks;
};

/// The content and the extremes of a slice after a step. plane/angle/column hold its sums over the
/// other two axes, from the first stored cell on.
struct SliceMeasure {
  double number = 0, low = 0, high = 0;
};

template <typename T>
struct SliceOps {
  /// Fills `out` (laid out, not yet written) from `sources` (ne slices by bin). `scratch` holds at
  /// least scratch_size() values.
  SliceLoss (*advance)(const SliceContext<T>& context, int bin, const Slice<T>* sources, const Box& from, int half,
                       const Slice<T>& out, T* scratch);
  /// Fills the rows of `left`. The second adds the slice's own bins of the spectra to `tracks` too, where the tables say
  /// so; the first is compiled without any of that.
  SliceScore (*score[2])(const SliceContext<T>& context, const Slice<T>& slice, const Left<T>& left, double* tracks);
  /// Adds what `n` slices have left in a tile to the fields, one slice after the other; tracks as above. Where reactions
  /// are recorded, a tile holds whole planes and columns of their grid.
  void (*add_left[2])(const SliceContext<T>& context, const Left<T>* left, std::size_t n, const Tile& tile,
                      const ScoreFields& to);
  SliceMeasure (*measure)(const Slice<T>& slice, double* plane, double* angle, T* column);
};

/// Values of scratch that advance() and measure() need for a step from `from` into `out`.
std::size_t slice_scratch_size(const Tables& tables, const Box& from, const Box& out);

/// The operations compiled for the best instruction set of this CPU.
template <typename T>
const SliceOps<T>& slice_ops();

}  // namespace bb::transport
