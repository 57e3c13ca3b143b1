// The fused step, once per instruction set. Inner loops run along x over whole vectors; a tile of
// [angle][x] stays in the first- or second-level cache from the energy gather to the z remap.
#include "slice.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "row_sums.hpp"
#include "slice_score.hpp"

namespace bb::transport::BB_ISA {
namespace {

using physics::kRemapReach;
using physics::kRemapTaps;

constexpr int kRing = kRemapTaps;  // tiles that the z remap reads

/// Number of columns on either side of a row that its remap may read or write.
int row_margin(const Tables& t, int a0, int a1) {
  int low = 0, high = 0;
  for (int a = a0; a < a1; ++a) {
    low = min_of(low, t.shift_x[static_cast<std::size_t>(a)].whole);
    high = max_of(high, t.shift_x[static_cast<std::size_t>(a)].whole + 1);
  }
  return remap_margin(low, high);
}

/// Content of the cells `here` that moves to the next cells, computed from their neighbours. The products are added in
/// a fixed order, because the order that a compiler chooses would change the last bits.
template <typename T>
Vector<T> flux_of_cells(const std::array<T, kRemapTaps>& c, const Vector<T>& before2, const Vector<T>& before,
                        const Vector<T>& here, const Vector<T>& behind, const Vector<T>& behind2) {
  Vector<T> flux;
  flux.add_product(c[1], before);
  flux.add_product(c[0], before2);
  flux.add_product(c[2], here);
  flux.add_product(c[3], behind);
  flux.add_product(c[4], behind2);
  flux.raise_to({});
  flux.lower_to(here);
  return flux;
}

/// Flux of the cells `here`. The other pointers are to the rows of their neighbours.
template <typename T>
Vector<T> flux_of_cells(const std::array<T, kRemapTaps>& c, const T* before2, const T* before, const T* here,
                        const T* behind, const T* behind2) {
  const auto of = [](const T* from) { return Vector<T>::of(from); };
  return flux_of_cells(c, of(before2), of(before), of(here), of(behind), of(behind2));
}

/// Flux of cells in a row, from the vectors before and after `here`.
template <typename T>
Vector<T> flux_in_row(const std::array<T, kRemapTaps>& c, const Vector<T>& before, const Vector<T>& here,
                      const Vector<T>& behind) {
  constexpr int kSize = Vector<T>::kSize;
  return flux_of_cells(c, shifted_lanes<kSize - 2>(before, here), shifted_lanes<kSize - 1>(before, here), here,
                       shifted_lanes<1>(here, behind), shifted_lanes<2>(here, behind));
}

/// Step of one energy bin: the state that its stages share.
template <typename T>
class SliceStep {
 public:
  SliceStep(const SliceContext<T>& context, int bin, const Slice<T>* sources, const Box& from, int half,
            const Slice<T>& out, T* scratch)
      : t_(*context.tables),
        w_(*context.typed),
        context_(context),
        bin_(bin),
        sources_(sources),
        from_(from),
        half_(half),
        out_(out) {
    x_start_ = align_down(from.x0);
    width_ = align_up(from.x1) - x_start_;
    margin_ = row_margin(t_, out.as, out.as + out.na);
    angles_ = from.a1 - from.a0;
    tile_ = scratch;
    apart_ = width_ + 2 * margin_;
    row_ = tile_ + static_cast<std::ptrdiff_t>(angles_) * width_ + margin_;
    moved_ = row_ + static_cast<std::ptrdiff_t>(kRowsTogether) * apart_;
    zero_ = moved_ + static_cast<std::ptrdiff_t>(kRowsTogether) * apart_ - margin_;
    ring_ = zero_ + out.pitch;
    kernels_ = ring_ + (context.depth ? 0 : static_cast<std::ptrdiff_t>(kRing) * out.na * out.pitch);
    // Columns within width_ are written before they are read, except those beyond the grid in rows of several
    // materials. These columns and the margins are cleared here.
    const int end = min_of(width_, t_.nx - x_start_);
    for (int i = 0; i < 2 * kRowsTogether; ++i) {
      std::memset(row_of(i) - margin_, 0, sizeof(T) * static_cast<std::size_t>(margin_));
      std::memset(row_of(i) + end, 0, sizeof(T) * static_cast<std::size_t>(width_ - end + margin_));
    }
    if (!context.depth) std::memset(zero_, 0, sizeof(T) * static_cast<std::size_t>(out.pitch));
  }

  SliceLoss run() {
    if (context_.depth) {
      gather(0, context_.plane);
      remap_x(context_.plane, out_.row(0, out_.as));
      return loss_;
    }
    if (out_.size() > 0) std::memset(out_.data, 0, sizeof(T) * out_.size());
    for (int z = from_.z0; z < from_.z1 + kRemapReach; ++z) {
      if (z < from_.z1) {
        gather(z, z);
        remap_x(z, ring_row(z, out_.as));
      }
      if (z - kRemapReach >= from_.z0) remap_z(z - kRemapReach);
    }
    return loss_;
  }

 private:
  T* tile_row(int a) { return tile_ + static_cast<std::ptrdiff_t>(a - from_.a0) * width_; }
  T* ring_row(int z, int a) {
    return ring_ + (static_cast<std::ptrdiff_t>(z % kRing) * out_.na + (a - out_.as)) * out_.pitch;
  }
  const T* ring_row_or_zero(int z, int a) { return z < from_.z0 || z >= from_.z1 ? zero_ : ring_row(z, a); }

  /// Calls f(material, first column, last column) with columns counted from x_start_.
  template <typename F>
  void each_run(int map_row, F&& f) const {
    each_material_run(w_, map_row, x_start_, width_, f);
  }

  /// One z row of a slice from which the gather reads. Angle `a` is at rows + a · pitch; columns are counted from
  /// x_start_.
  struct Source {
    int bin = -1, z = 0;
    int a0 = 0, a1 = 0;  // equal if the row is empty
    int first = 0, last = 0;
    std::ptrdiff_t pitch = 0;
    const T* rows = nullptr;
  };

  /// Caches the sources of a bin, because the same few sources are used at almost all angles.
  const Source& source_of(int bin, int z) {
    Source& found = found_[static_cast<std::size_t>(bin) % found_.size()];
    if (found.bin == bin && found.z == z) return found;
    const Slice<T>& slice = sources_[bin];
    const int start = slice.xs - x_start_;
    found = {.bin = bin, .z = z, .first = start, .last = start + slice.pitch, .pitch = slice.pitch};
    if (z < slice.box.z0 || z >= slice.box.z1) return found;
    found.a0 = slice.box.a0;
    found.a1 = slice.box.a1;
    found.rows = slice.row(z, 0) - start;
    return found;
  }

  /// Gathers the energies of row z into the tile and counts the protons that scattering sends off the grid.
  void gather(int z, int map_row) {
    for (int a = from_.a0; a < from_.a1; ++a) {
      T* to = tile_row(a);
      each_run(map_row, [&](int material, int lo, int hi) {
        const std::size_t row = w_.row(context_.depth ? a : 0, material, bin_);
        Tap<T> taps[kMaxTaps];
        int n = 0;
        for (int k = w_.gather_begin[row]; k < w_.gather_begin[row + 1]; ++k) {
          const Source& source = source_of(w_.gather_source[static_cast<std::size_t>(k)], z);
          if (a < source.a0 || a >= source.a1) continue;
          const Tap<T> tap{source.rows + a * source.pitch, w_.gather_weight[static_cast<std::size_t>(k)],
                           max_of(lo, source.first), min_of(hi, source.last)};
          if (n < kMaxTaps) {
            taps[n++] = tap;
            continue;
          }
          if (n++ == kMaxTaps) sum_taps(taps, kMaxTaps, to, lo, hi);
          for (int x = tap.first; x < tap.last; ++x) to[x] += tap.weight * tap.row[x];
        }
        if (n <= kMaxTaps) sum_taps(taps, n, to, lo, hi);
      });
    }
    if (from_.a0 < half_ || from_.a1 > t_.ntheta - half_) count_angle_loss(map_row);
  }

  void count_angle_loss(int map_row) {
    for (int a = from_.a0; a < from_.a1; ++a) {
      if (a >= half_ && a < t_.ntheta - half_) continue;
      each_run(map_row, [&](int material, int lo, int hi) {
        const std::size_t row = w_.row(context_.depth ? a : 0, material, bin_);
        const int begin = w_.angle_begin[row];
        const int half = w_.angle_begin[row + 1] - begin - 1;
        double below = 0.0, above = 0.0;
        for (int k = 1; k <= half; ++k) {
          const double weight = static_cast<double>(w_.angle_weight[static_cast<std::size_t>(begin + k)]);
          if (a - k < 0) below += weight;
          if (a + k >= t_.ntheta) above += weight;
        }
        if (!(below > 0.0) && !(above > 0.0)) return;
        const double protons = sum_row(tile_row(a) + lo, hi - lo);
        loss_[kThetaLow] += below * protons;
        loss_[kThetaHigh] += above * protons;
      });
    }
  }

  /// Convolves the angles `a` to `a + n` into their rows.
  void scatter(int map_row, int a, int n) {
    each_run(map_row, [&](int material, int lo, int hi) {
      const int half = spread_of(material);
      const int apart = context_.depth ? half_ + 1 : 0;
      for (int i = 0; i < n; ++i) {
        Reach<T>(tile_, width_, spread_, apart, a + i - from_.a0, angles_, half).sum(row_of(i), lo, hi);
      }
    });
  }

  /// Sets spread_ to the angle kernels of a material and returns their largest reach.
  int spread_of(int material) {
    if (!context_.depth) {
      const std::size_t row = w_.row(0, material, bin_);
      spread_ = &w_.angle_weight[static_cast<std::size_t>(w_.angle_begin[row])];
      return w_.angle_begin[row + 1] - w_.angle_begin[row] - 1;
    }
    if (material == spread_material_) return half_;
    spread_material_ = material;
    spread_ = kernels_;
    for (int a = from_.a0; a < from_.a1; ++a) {
      const std::size_t row = w_.row(a, material, bin_);
      const int begin = w_.angle_begin[row], size = w_.angle_begin[row + 1] - begin;
      T* to = kernels_ + static_cast<std::ptrdiff_t>(a - from_.a0) * (half_ + 1);
      const T* weights = &w_.angle_weight[static_cast<std::size_t>(begin)];
      for (int k = 0; k <= half_; ++k) to[k] = k < size ? weights[k] : T(0);
    }
    return half_;
  }

  T* row_of(int i) { return row_ + static_cast<std::ptrdiff_t>(i) * apart_; }
  T* moved_of(int i) { return moved_ + static_cast<std::ptrdiff_t>(i) * apart_; }

  /// Scatters all angles and remaps them in x into consecutive rows from `to` on.
  void remap_x(int map_row, T* to) {
    const int end = out_.as + out_.na;
    for (int a = out_.as; a < end; a += kRowsTogether, to += static_cast<std::ptrdiff_t>(kRowsTogether) * out_.pitch) {
      const int n = min_of(kRowsTogether, end - a);
      scatter(map_row, a, n);
      const auto row_to = [&](int i) { return to + static_cast<std::ptrdiff_t>(i) * out_.pitch; };
      if (!at_face(a, n)) {
        for (int i = 0; i < n; ++i) remap_row(i, a + i, row_to(i));
        continue;
      }
      for (int i = 0; i < n; ++i) compute_flux(i, a + i);
      for (int i = 0; i < n; ++i) put(i, a + i, row_to(i));
    }
  }

  /// Whether any of `n` angles reads or writes beyond the grid in x.
  bool at_face(int a, int n) const {
    if (from_.x0 == 0 || from_.x1 == t_.nx) return true;
    for (int i = a; i < a + n; ++i) {
      const int whole = t_.shift_x[static_cast<std::size_t>(i)].whole;
      if (from_.x0 + whole < 0 || from_.x1 + whole + 1 > t_.nx) return true;
    }
    return false;
  }

  /// Remaps row `i`, reading it once. Beyond its cells the row is empty, so nothing moves in from there.
  void remap_row(int i, int a, T* to) {
    constexpr int kSize = Vector<T>::kSize;
    const std::array<T, kRemapTaps> c = w_.flux_x[static_cast<std::size_t>(a)];
    const T* const from = row_of(i) + (out_.xs - t_.shift_x[static_cast<std::size_t>(a)].whole - x_start_);
    Vector<T> before = Vector<T>::of(from - kSize), here = Vector<T>::of(from), left;
    if (from[-1] != T(0)) left = flux_in_row(c, Vector<T>::of(from - 2 * kSize), before, here);
    const int pitch = out_.pitch;
    for (int x = 0; x < pitch; x += kSize) {
      const Vector<T> behind = Vector<T>::of(from + x + kSize);
      const Vector<T> gone = flux_in_row(c, before, here, behind);
      Vector<T> sum = here;
      sum.subtract(gone);
      sum.add(shifted_lanes<kSize - 1>(left, gone));
      sum.store(to + x);
      before = here;
      here = behind;
      left = gone;
    }
    for (int x = t_.nx - out_.xs; x < pitch; ++x) to[x] = T(0);
  }

  /// Computes the content of row `i` that moves to the next cells.
  void compute_flux(int i, int a) {
    extend_row(i, t_.shift_x[static_cast<std::size_t>(a)].whole);
    const std::array<T, kRemapTaps> c = w_.flux_x[static_cast<std::size_t>(a)];
    const T* const row = row_of(i);
    T* const gone = moved_of(i);
    const int width = width_;
    for (int x = 0; x < width; x += Vector<T>::kSize) {
      const T* p = row + x;
      flux_of_cells(c, p - 2, p - 1, p, p + 1, p + 2).store(gone + x);
    }
  }

  void put(int i, int a, T* to) {
    const int whole = t_.shift_x[static_cast<std::size_t>(a)].whole;
    const std::ptrdiff_t first = out_.xs - whole - x_start_;
    const T* const kept = row_of(i) + first;
    const T* const left = moved_of(i) + first;
    const int pitch = out_.pitch;
    for (int x = 0; x < pitch; x += Vector<T>::kSize) {
      Vector<T> sum = Vector<T>::of(kept + x);
      sum.subtract(Vector<T>::of(left + x));
      sum.add(Vector<T>::of(left + x - 1));
      sum.store(to + x);
    }
    for (int x = t_.nx - out_.xs; x < pitch; ++x) to[x] = T(0);
    if (from_.x0 + whole < 0 || from_.x1 + whole + 1 > t_.nx) count_x_loss(i, whole);
  }

  /// Writes the cells that the remap reads beyond the two x faces of the grid; see remap_neighbour.
  void extend_row(int i, int whole) {
    T* p = row_of(i) - x_start_;
    for (int k = 1; k <= kRemapReach; ++k) {
      if (from_.x0 == 0) p[-k] = whole < 0 ? p[0] : T(0);
      if (from_.x1 == t_.nx) p[t_.nx - 1 + k] = whole < 0 ? T(0) : p[t_.nx - 1];
    }
  }

  void count_x_loss(int i, int whole) {
    const T *const row = row_of(i), *const gone = moved_of(i);
    for (int x = from_.x0; x < from_.x1; ++x) {
      const double moved = static_cast<double>(gone[x - x_start_]);
      const double kept = static_cast<double>(row[x - x_start_]) - moved;
      if (x + whole < 0 || x + whole >= t_.nx) loss_[x + whole < 0 ? kXLow : kXHigh] += kept;
      if (x + whole + 1 < 0 || x + whole + 1 >= t_.nx) loss_[x + whole + 1 < 0 ? kXLow : kXHigh] += moved;
    }
  }

  void remap_z(int z) {
    for (int a = out_.as; a < out_.as + out_.na; ++a) {
      const auto& c = w_.flux_z[static_cast<std::size_t>(a)];
      const T* m2 = ring_row_or_zero(z - 2, a);
      const T* m1 = ring_row_or_zero(z - 1, a);
      const T* p = ring_row_or_zero(z, a);
      const T* p1 = ring_row_or_zero(z + 1, a);
      const T* p2 = ring_row_or_zero(z + 2, a);
      const physics::RemapShift& shift = t_.shift_z[static_cast<std::size_t>(a)];
      const int near = z + shift.whole;
      const bool near_in = near >= 0 && near < t_.nz;
      const bool far_in = near + 1 >= 0 && near + 1 < t_.nz;
      constexpr int kSize = Vector<T>::kSize;
      const auto flux = [&](int x) { return flux_of_cells(c, m2 + x, m1 + x, p + x, p1 + x, p2 + x); };
      if (shift.fraction == 0.0 && near_in) {  // whole cells: the next row may not exist in `out`
        T* keep = out_.row(near, a);
        for (int x = 0; x < out_.pitch; ++x) keep[x] += p[x];
        continue;
      }
      if (near_in && far_in) {
        T* keep = out_.row(near, a);
        T* pass = out_.row(near + 1, a);
        for (int x = 0; x < out_.pitch; x += kSize) {
          const Vector<T> gone = flux(x);
          Vector<T> stays = Vector<T>::of(p + x);
          stays.subtract(gone);
          stays.add(Vector<T>::of(keep + x));
          stays.store(keep + x);
          Vector<T> passed = Vector<T>::of(pass + x);
          passed.add(gone);
          passed.store(pass + x);
        }
        continue;
      }
      T gone[kSize];
      for (int x = 0; x < out_.pitch; ++x) {
        if (x % kSize == 0) flux(x).store(gone);
        const T g = gone[x % kSize];
        if (near_in) {
          out_.row(near, a)[x] += p[x] - g;
        } else {
          loss_[near < 0 ? kZLow : kZHigh] += static_cast<double>(p[x] - g);
        }
        if (far_in) {
          out_.row(near + 1, a)[x] += g;
        } else {
          loss_[near + 1 < 0 ? kZLow : kZHigh] += static_cast<double>(g);
        }
      }
    }
  }

  const Tables& t_;
  const TablesByBin<T>& w_;
  const SliceContext<T>& context_;
  int bin_;
  const Slice<T>* sources_;
  Box from_;
  int half_;
  const Slice<T>& out_;
  int x_start_, width_, margin_, angles_, apart_;
  T *tile_, *zero_, *ring_;
  T *row_, *moved_;               // kRowsTogether rows each, with stride apart_
  T* kernels_;                    // [angles_][half_ + 1] weights by source angle and distance; depth stepping
  const T* spread_ = nullptr;     // kernels of spread_material_
  std::array<Source, 16> found_;  // by bin
  int spread_material_ = -1;      // material of these kernels
  SliceLoss loss_;
};

template <typename T>
SliceLoss advance(const SliceContext<T>& context, int bin, const Slice<T>* sources, const Box& from, int half,
                  const Slice<T>& out, T* scratch) {
  return SliceStep<T>(context, bin, sources, from, half, out, scratch).run();
}

template <typename T>
SliceMeasure measure(const Slice<T>& slice, double* plane, double* angle, T* column) {
  constexpr int kSize = Vector<T>::kSize;
  Vector<T> low, high;
  for (int x = 0; x < slice.pitch; ++x) column[x] = T(0);
  for (int a = 0; a < slice.na; ++a) angle[a] = 0.0;
  SliceMeasure out;
  for (int z = 0; z < slice.nz; ++z) {
    double in_plane = 0.0;
    for (int a = 0; a < slice.na; ++a) {
      const T* p = slice.row(slice.zs + z, slice.as + a);
      Vector<T> sum[kVectors<T>];
      for (int x = 0; x < slice.pitch; x += kRowAlign) {
        for (int j = 0; j < kVectors<T>; ++j) {
          const Vector<T> v = Vector<T>::of(p + x + j * kSize);
          sum[j].add(v);
          low.lower_to(v);
          high.raise_to(v);
          Vector<T> in_column = Vector<T>::of(column + x + j * kSize);
          in_column.add(v);
          in_column.store(column + x + j * kSize);
        }
      }
      T lane[kRowAlign];
      for (int j = 0; j < kVectors<T>; ++j) sum[j].store(lane + j * kSize);
      const double in_row = sum_lanes(lane);
      angle[a] += in_row;
      in_plane += in_row;
    }
    plane[z] = in_plane;
    out.number += in_plane;
  }
  T lowest[kSize], highest[kSize];
  low.store(lowest);
  high.store(highest);
  for (int j = 0; j < kSize; ++j) {
    out.low = static_cast<double>(lowest[j]) < out.low ? static_cast<double>(lowest[j]) : out.low;
    out.high = static_cast<double>(highest[j]) > out.high ? static_cast<double>(highest[j]) : out.high;
  }
  return out;
}

}  // namespace

extern const SliceOps<float> kFloatOps;
extern const SliceOps<double> kDoubleOps;
template <typename T>
constexpr SliceOps<T> kOps = {
    advance<T>, {score<T, false>, score<T, true>}, {add_deferred<T, false>, add_deferred<T, true>}, measure<T>};
const SliceOps<float> kFloatOps = kOps<float>;
const SliceOps<double> kDoubleOps = kOps<double>;

}  // namespace bb::transport::BB_ISA
