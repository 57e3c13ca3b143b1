#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "row_sums.hpp"
#include "row_vectors.hpp"
#include "slice.hpp"
#include "transport/model/typed_tables.hpp"

// Helpers for runs of cells of one material in a row of the map. Only *.simd.cpp include this.
namespace bb::transport::BB_ISA {

/// Calls f(material, lo, hi) for each run of cells of one material in row `z`, within `width` columns from `start` on;
/// lo and hi are relative to `start`. The run of a row with a single material includes the row's padding.
template <typename T, typename F>
void each_material_run(const TypedTables<T>& typed, int z, int start, int width, F&& f) {
  const std::int32_t first = typed.run_begin[static_cast<std::size_t>(z)];
  const std::int32_t last = typed.run_begin[static_cast<std::size_t>(z) + 1];
  if (last - first == 1) {
    f(typed.runs[static_cast<std::size_t>(first)].material, 0, width);
    return;
  }
  for (std::int32_t r = first; r < last; ++r) {
    const MaterialRun& run = typed.runs[static_cast<std::size_t>(r)];
    const int lo = max_of(run.begin - start, 0);
    const int hi = min_of(run.end - start, width);
    if (lo < hi) f(run.material, lo, hi);
  }
}

template <typename T>
bool one_material(const TypedTables<T>& typed, int z) {
  return typed.run_begin[static_cast<std::size_t>(z) + 1] - typed.run_begin[static_cast<std::size_t>(z)] == 1;
}

// Scores of slices in a step. First each slice sums its own scores, on any thread. Then each cell of the results adds
// the slices in order, so the sums do not depend on the number of threads. Only slice.simd.cpp includes this.

/// Sums over the angles of row `z`: the protons, and the protons through the plane times powers of the angle. If
/// `with_dose`, the row has one material and the deposited energy is summed too. `rows` is indexed by DeferredRow.
template <typename T>
void add_moments(const SliceContext<T>& context, int bin, const Slice<T>& slice, int z, int map_row, bool with_dose,
                 T* rows) {
  const TablesByBin<T>& w = *context.typed;
  constexpr int kSums = 5, kSize = Vector<T>::kSize;  // DeferredRow from kNumber to kDeferredThetaTheta
  const int material = w.runs[static_cast<std::size_t>(w.run_begin[static_cast<std::size_t>(map_row)])].material;
  for (int x = 0; x < slice.pitch; x += kRowAlign) {
    Vector<T> sum[kSums][kVectors<T>];
    for (int a = slice.box.a0; a < slice.box.a1; ++a) {
      const T* p = slice.row(z, a) + x;
      const auto [weight, weight_t, weight_tt] = w.plane_weight[static_cast<std::size_t>(a)];
      const T deposit = with_dose ? w.deposit[w.row(a, material, bin)] : T(0);
      for (int j = 0; j < kVectors<T>; ++j) {
        const Vector<T> v = Vector<T>::of(p + j * kSize);
        sum[0][j].add(v);
        sum[1][j].add_product(deposit, v);
        sum[2][j].add_product(weight, v);
        sum[3][j].add_product(weight_t, v);
        sum[4][j].add_product(weight_tt, v);
      }
    }
    for (int k = 0; k < kSums; ++k) {
      for (int j = 0; j < kVectors<T>; ++j) sum[k][j].store(rows + k * slice.pitch + x + j * kSize);
    }
  }
}

/// Adds protons in a row, weighted by path length relative to the beam's, to the spectrum of the row.
template <typename T>
void score_spectrum(const SliceContext<T>& context, const DeferredScores<T>& left, int map_row, const T* number,
                    double* tracks) {
  const Tables& t = *context.tables;
  const std::size_t bin = t.tracks.spectrum(map_row, left.bin);
  if (bin == t.tracks.size()) return;
  each_material_run(*context.typed, map_row, left.xs, left.pitch, [&](int material, int lo, int hi) {
    const std::size_t row = static_cast<std::size_t>(material) * t.tracks.ne + static_cast<std::size_t>(left.bin);
    const int end = min_of(hi, t.nx - left.xs);
    tracks[bin] += t.tracks.moment[0][row] * sum_row(number + lo, end - lo);
  });
}

/// Row of the deferred scores with the protons weighted by path length relative to the beam's. Equals the row of
/// numbers if all paths are equal or no tracks are scored.
constexpr DeferredRow path_row(bool tracks, bool depth) { return tracks && depth ? kPathLength : kNumber; }

/// With `kTracks`, also scores the moments of tracks and the spectra; without, no code for them is compiled.
template <typename T, bool kTracks>
SliceScore score(const SliceContext<T>& context, const Slice<T>& slice, const DeferredScores<T>& left,
                 [[maybe_unused]] double* tracks) {
  const Tables& t = *context.tables;
  const TablesByBin<T>& w = *context.typed;
  const int width = slice.pitch, bin = left.bin;
  const DeferredRow path_in = path_row(kTracks, context.depth);
  const bool record = t.reactions.on();
  SliceScore out;
  for (int map_row = left.z0; map_row < left.z1; ++map_row) {
    const int z = context.depth ? slice.box.z0 : map_row;
    const auto row_of = [&](DeferredRow which) { return left.row(map_row, which); };
    T* const dose = row_of(kDeferredDose);
    T* const reacted = row_of(kReacted);
    T* const path_sum = row_of(kPathLength);
    if (record) std::memset(reacted, 0, sizeof(T) * static_cast<std::size_t>(width));
    if (path_in == kPathLength) std::memset(path_sum, 0, sizeof(T) * static_cast<std::size_t>(width));
    const auto each_run = [&](auto&& f) { each_material_run(w, map_row, slice.xs, width, f); };
    const bool alone = one_material(w, map_row);
    add_moments(context, bin, slice, z, map_row, context.depth && alone, row_of(kNumber));
    const auto count = [&](std::size_t row, const T* p, int lo, int hi) {
      const double n = sum_row(p + lo, hi - lo);
      out.stopped += n * static_cast<double>(w.stopped[row]);
      out.nuclear += n * static_cast<double>(w.nuclear[row]);
      out.nuclear_energy += n * static_cast<double>(w.nuclear_escape[row]);
    };
    for (int a = slice.box.a0; context.depth && a < slice.box.a1; ++a) {
      const T* p = slice.row(z, a);
      if (path_in == kPathLength) {
        const T way = static_cast<T>(t.tracks.way[static_cast<std::size_t>(a)]);
        for (int x = 0; x < width; ++x) path_sum[x] += way * p[x];
      }
      each_run([&](int material, int lo, int hi) {
        const std::size_t row = w.row(a, material, bin);
        if (!alone) {
          const T deposit = w.deposit[row];
          for (int x = lo; x < hi; ++x) dose[x] += deposit * p[x];
        }
        if (w.stopped[row] == T(0) && w.nuclear[row] == T(0)) return;
        if (record) {
          const T nuclear = w.nuclear[row];
          for (int x = lo; x < hi; ++x) reacted[x] += nuclear * p[x];
        }
        count(row, p, lo, hi);
      });
    }
    if (!context.depth) {
      const T* number = row_of(kNumber);
      each_run([&](int material, int lo, int hi) {
        const std::size_t row = w.row(0, material, bin);
        const T deposit = w.deposit[row];
        for (int x = lo; x < hi; ++x) dose[x] = deposit * number[x];
        if (record) {
          const T nuclear = w.nuclear[row];
          for (int x = lo; x < hi; ++x) reacted[x] = nuclear * number[x];
        }
        count(row, number, lo, hi);
      });
    }
    if constexpr (kTracks) score_spectrum(context, left, map_row, row_of(path_in), tracks);
    out.deposited += sum_vectors(dose, width);
  }
  return out;
}

/// Adds columns `x0` to `x1` of a row of a slice to the moments of tracks.
template <typename T>
void add_tracks(const SliceContext<T>& context, const DeferredScores<T>& left, int map_row, int x0, int x1,
                double* tracks) {
  const Tables& t = *context.tables;
  const TrackScores& scored = t.tracks;
  const T* number = left.row(map_row, path_row(true, context.depth)) - left.xs;
  double* to = tracks + static_cast<std::size_t>(map_row) * static_cast<std::size_t>(t.nx);
  each_material_run(*context.typed, map_row, x0, x1 - x0, [&](int material, int lo, int hi) {
    const std::size_t row = static_cast<std::size_t>(material) * scored.ne + static_cast<std::size_t>(left.bin);
    for (std::size_t k = 0; k < TrackScores::kMoments; ++k, to += scored.plane) {
      const double moment = scored.moment[k][row];
      for (int x = x0 + lo; x < x0 + hi; ++x) to[x] += moment * static_cast<double>(number[x]);
    }
    to -= TrackScores::kMoments * scored.plane;
  });
}

/// Adds columns `x0` to `x1` of a row of a slice to the recorded reactions.
template <typename T>
void add_reactions(const ReactionGrid& grid, const DeferredScores<T>& left, int map_row, int x0, int x1,
                   double* reactions) {
  const T* reacted = left.row(map_row, kReacted) - left.xs;
  const double upper = grid.upper[static_cast<std::size_t>(left.bin)];
  double* low_bin = reactions + grid.row(map_row, grid.bin[static_cast<std::size_t>(left.bin)]);
  double* high_bin = low_bin + grid.columns;
  for (int x = x0; x < x1;) {
    const int column = x / grid.cells;
    const int end = min_of(x1, (column + 1) * grid.cells);
    double number = 0.0;
    for (; x < end; ++x) number += static_cast<double>(reacted[x]);
    low_bin[column] += (1.0 - upper) * number;
    high_bin[column] += upper * number;
  }
}

template <typename T, bool kTracks>
void add_deferred(const SliceContext<T>& context, const DeferredScores<T>* left, std::size_t n, const Tile& tile,
                  const ScoreFields& to) {
  const Tables& t = *context.tables;
  const std::size_t plane = t.plane();
  for (int z = tile.z0; z < tile.z1; ++z) {
    double* const row = to.planes + static_cast<std::size_t>(z) * static_cast<std::size_t>(t.nx);
    for (const DeferredScores<T>* l = left; l != left + n; ++l) {
      if (z < l->z0 || z >= l->z1) continue;
      const int x0 = max_of(tile.x0, l->xs), x1 = min_of(tile.x1, l->xs + l->pitch);
      if (x0 >= x1) continue;
      for (int k = 0; k < kScorePlanes; ++k) {
        const T* from = l->row(z, kDeferredDose + k) - l->xs;
        double* field = row + static_cast<std::size_t>(k) * plane;
        for (int x = x0; x < x1; ++x) field[x] += static_cast<double>(from[x]);
      }
      if constexpr (kTracks) add_tracks(context, *l, z, x0, x1, to.tracks);
      if (t.reactions.on()) add_reactions(t.reactions, *l, z, x0, x1, to.reactions);
    }
  }
}

}  // namespace bb::transport::BB_ISA
