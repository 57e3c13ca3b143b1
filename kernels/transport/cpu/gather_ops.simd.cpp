#include <algorithm>
#include <vector>

#include "gather_stretch.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport::BB_ISA {
namespace {

using engine::Crossing;

constexpr int kTapsAtOnce = 4;

/// to[i] = Σ_k weight[k] · from[k][i] for i < n.
template <typename T>
void weighted_sum(T* __restrict to, const std::vector<const T*>& from, const std::vector<T>& weight, int n) {
  const std::size_t taps = weight.size();
  std::size_t k = 0;
  if (taps < kTapsAtOnce) std::fill_n(to, n, T(0));
  for (; k + kTapsAtOnce <= taps; k += kTapsAtOnce) {
    const T* __restrict f0 = from[k];
    const T* __restrict f1 = from[k + 1];
    const T* __restrict f2 = from[k + 2];
    const T* __restrict f3 = from[k + 3];
    const T w0 = weight[k], w1 = weight[k + 1], w2 = weight[k + 2], w3 = weight[k + 3];
    if (k == 0) {
      for (int i = 0; i < n; ++i) to[i] = w0 * f0[i] + w1 * f1[i] + w2 * f2[i] + w3 * f3[i];
    } else {
      for (int i = 0; i < n; ++i) to[i] += w0 * f0[i] + w1 * f1[i] + w2 * f2[i] + w3 * f3[i];
    }
  }
  for (; k < taps; ++k) {
    const T* __restrict f = from[k];
    const T w = weight[k];
    for (int i = 0; i < n; ++i) to[i] += w * f[i];
  }
}

/// Sums over energy in a block at one angle.
template <typename T>
struct BlockScore {
  std::vector<T> dose, current, low, high;

  explicit BlockScore(int n) : dose(u(n)), current(u(n)), low(u(n)), high(u(n)) {}

  void clear() {
    std::ranges::fill(dose, T(0));
    std::ranges::fill(current, T(0));
  }
  void add(const T* __restrict p, T deposit, int first, int last) {
    T* __restrict d = dose.data();
    T* __restrict c = current.data();
    T* __restrict lo = low.data();
    T* __restrict hi = high.data();
    for (int i = first; i < last; ++i) {
      d[i] += deposit * p[i];
      c[i] += p[i];
      lo[i] = p[i] < lo[i] ? p[i] : lo[i];
      hi[i] = p[i] > hi[i] ? p[i] : hi[i];
    }
  }
};

template <typename T>
void flush(const GatherContext<T>& c, RowBlock block, int a, const BlockScore<T>& score, double* dose, double* crossing,
           GatherTotals& totals) {
  const Tables& t = *c.tables;
  const double theta = t.theta[u(a)];
  const double planes = t.plane_weight[u(a)];
  std::size_t i = 0;
  for (int z = block.z0; z < block.z1; ++z) {
    double n = 0.0, x1 = 0.0, x2 = 0.0;
    for (int x = 0; x < t.nx; ++x, ++i) {
      const double position = (x + 0.5 - 0.5 * t.nx) * t.dx;
      const double p = score.current[i];
      n += p;
      x1 += p * position;
      x2 += p * position * position;
      totals.deposited += score.dose[i];
      dose[u(z) * u(t.nx) + u(x)] += score.dose[i];
    }
    double* to = crossing + u(z) * Crossing::kCount;
    to[Crossing::kN] += planes * n;
    to[Crossing::kX] += planes * x1;
    to[Crossing::kXX] += planes * x2;
    to[Crossing::kTheta] += planes * n * theta;
    to[Crossing::kThetaTheta] += planes * n * theta * theta;
    to[Crossing::kXTheta] += planes * x1 * theta;
  }
}

/// Moments of tracks in a block at one angle, summed over energy.
template <typename T>
struct BlockTracks {
  std::vector<T> sum[TrackScores::kMoments];

  explicit BlockTracks(int n) {
    for (auto& each : sum) each.resize(u(n));
  }

  void add(const T* __restrict p, const double* const (&moment)[TrackScores::kMoments], int first, int last) {
    T* __restrict s0 = sum[0].data();
    T* __restrict s1 = sum[1].data();
    T* __restrict s2 = sum[2].data();
    const T m0 = static_cast<T>(*moment[0]), m1 = static_cast<T>(*moment[1]), m2 = static_cast<T>(*moment[2]);
    for (int i = first; i < last; ++i) {
      s0[i] += m0 * p[i];
      s1[i] += m1 * p[i];
      s2[i] += m2 * p[i];
    }
  }
};

/// Adds the energy deposited by bin `e` at angle `a` in cells first … last - 1 of a block to the spectra of its rows.
/// All these cells have the same material.
template <typename T>
void add_spectra(const GatherContext<T>& c, RowBlock block, int e, int a, const T* p, double length, int first,
                 int last, double* tracks) {
  const Tables& t = *c.tables;
  for (int z = block.z0; z < block.z1; ++z) {
    const std::size_t bin = t.tracks.spectrum(c.state->map_row(z), e);
    if (bin == t.tracks.size()) continue;
    const int begin = std::max(first, (z - block.z0) * t.nx), end = std::min(last, (z - block.z0 + 1) * t.nx);
    if (begin < end) tracks[bin] += t.tracks.way[u(a)] * length * sum_of(p + begin, end - begin);
  }
}

/// Adds the sums at one angle to the track fields.
template <typename T>
void flush_tracks(const GatherContext<T>& c, RowBlock block, int a, BlockTracks<T>& block_tracks, double* tracks) {
  const Tables& t = *c.tables;
  const double way = t.tracks.way[u(a)];
  for (std::size_t k = 0; k < TrackScores::kMoments; ++k) {
    std::size_t i = 0;
    for (int z = block.z0; z < block.z1; ++z) {
      const int map_row = c.state->map_row(z);
      double* to = tracks + k * t.tracks.plane + u(std::min(map_row, t.nz - 1)) * u(t.nx);
      for (int x = 0; x < t.nx; ++x, ++i) to[x] += way * static_cast<double>(block_tracks.sum[k][i]);
    }
    std::ranges::fill(block_tracks.sum[k], T(0));
  }
}

template <typename T>
GatherTotals slow_down(const GatherContext<T>& c, RowBlock block, int a0, int a1, double* dose, double* crossing,
                       double* tracks) {
  const Tables& t = *c.tables;
  const TypedTables<T>& w = *c.typed;
  GatherTotals totals;
  BlockScore<T> score((block.z1 - block.z0) * t.nx);
  const TrackScores& scored = t.tracks;
  BlockTracks<T> block_tracks(scored.on() ? (block.z1 - block.z0) * t.nx : 0);
  std::vector<const T*> from;
  std::vector<T> weight;
  for (int a = a0; a < a1; ++a) {
    score.clear();
    each_material_stretch(c, block, [&](int material, int first, int last) {
      for (int e = 0; e < t.ne; ++e) {
        const std::size_t row = t.row(c.state->step_class(a), material, e);
        const T* p = c.in + c.state->row(e, a, block.z0);
        score.add(p, w.deposit[row], first, last);
        if (scored.on()) {
          const std::size_t of = u(material) * u(t.ne) + u(e);
          block_tracks.add(p, {&scored.moment[0][of], &scored.moment[1][of], &scored.moment[2][of]}, first, last);
          if (!scored.rows.empty()) add_spectra(c, block, e, a, p, scored.moment[0][of], first, last, tracks);
        }
        if (w.stopped[row] != T(0) || w.nuclear[row] != T(0)) {
          const double sum = sum_of(p + first, last - first);
          totals.stopped += sum * w.stopped[row];
          totals.nuclear += sum * w.nuclear[row];
          totals.nuclear_energy += sum * w.nuclear_escape[row];
        }
        from.clear();
        weight.clear();
        for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
          from.push_back(c.in + c.state->row(t.gather_source[u(k)], a, block.z0) + first);
          weight.push_back(w.gather_weight[u(k)]);
        }
        weighted_sum(c.out + c.state->row(e, a, block.z0) + first, from, weight, last - first);
      }
    });
    flush(c, block, a, score, dose, crossing, totals);
    if (scored.on()) flush_tracks(c, block, a, block_tracks, tracks);
  }
  totals.low = *std::ranges::min_element(score.low);
  totals.high = *std::ranges::max_element(score.high);
  return totals;
}

template <typename T>
void record(const GatherContext<T>& c, RowBlock block, int x0, int x1, double* reactions) {
  const Tables& t = *c.tables;
  std::vector<double> reacted(u(x1 - x0));
  for (int e = 0; e < t.ne; ++e) {
    for (int z = block.z0; z < block.z1; ++z) {
      const int map_row = c.state->map_row(z);
      std::ranges::fill(reacted, 0.0);
      for (int r = c.typed->run_begin[u(map_row)]; r < c.typed->run_begin[u(map_row) + 1]; ++r) {
        const MaterialRun& run = c.typed->runs[u(r)];
        const int lo = std::max<int>(run.begin, x0), hi = std::min<int>(run.end, x1);
        for (int a = 0; a < t.ntheta && lo < hi; ++a) {
          const T nuclear = c.typed->nuclear[t.row(c.state->step_class(a), run.material, e)];
          if (nuclear == T(0)) continue;
          const T* p = c.in + c.state->row(e, a, z);
          for (int x = lo; x < hi; ++x) reacted[u(x - x0)] += static_cast<double>(nuclear * p[x]);
        }
      }
      for (int x = x0; x < x1; ++x) {
        if (reacted[u(x - x0)] != 0.0) t.reactions.add(reactions, e, map_row, x, reacted[u(x - x0)]);
      }
    }
  }
}

template <typename T>
GatherTotals scatter_angles(const GatherContext<T>& c, RowBlock block, int e) {
  const Tables& t = *c.tables;
  const TypedTables<T>& w = *c.typed;
  GatherTotals totals;
  std::vector<const T*> from;
  std::vector<T> weight;
  each_material_stretch(c, block, [&](int material, int first, int last) {
    const auto kernel = [&](int a, int& half) {
      const std::size_t row = t.row(c.state->step_class(a), material, e);
      half = t.angle_begin[row + 1] - t.angle_begin[row] - 1;
      return &w.angle_weight[u(t.angle_begin[row])];
    };
    for (int a = 0; a < t.ntheta; ++a) {
      from.clear();
      weight.clear();
      const int reach = c.state->depth ? t.angle_half_max : 0;
      int half = 0;
      const T* own = kernel(a, half);
      const int far = std::max(reach, half);
      const auto collect = [&](int source, int distance) {
        if (source < 0 || source >= t.ntheta) return;
        const T* k = c.state->depth ? kernel(source, half) : own;  // the path depends on the source's angle
        if (distance > half) return;
        from.push_back(c.in + c.state->row(e, source, block.z0) + first);
        weight.push_back(k[distance]);
      };
      // Sums from the small terms at large distances to the large ones. In FP32, small terms added to a large sum would
      // mostly be lost, and the loss would add up over the steps.
      for (int distance = far; distance > 0; --distance) {
        collect(a - distance, distance);
        collect(a + distance, distance);
      }
      collect(a, 0);
      weighted_sum(c.out + c.state->row(e, a, block.z0) + first, from, weight, last - first);

      own = kernel(a, half);
      double below = 0.0, above = 0.0;  // the shares of this angle's protons that land outside the angle grid
      for (int k = 1; k <= half; ++k) {
        if (a - k < 0) below += own[k];
        if (a + k >= t.ntheta) above += own[k];
      }
      if (below > 0.0 || above > 0.0) {
        const double protons = sum_of(c.in + c.state->row(e, a, block.z0) + first, last - first);
        lose(totals, kThetaLow, below * protons, t.energy[u(e)]);
        lose(totals, kThetaHigh, above * protons, t.energy[u(e)]);
      }
    }
  });
  return totals;
}

/// Sets moved[i] to the part of cell i that moves to the next cell. Two neighbours on either side, `stride` cells
/// apart, must exist.
template <typename T>
void flux(T* __restrict moved, const T* row, std::ptrdiff_t stride, const T* coefficients, int n) {
  const T c0 = coefficients[0], c1 = coefficients[1], c2 = coefficients[2], c3 = coefficients[3], c4 = coefficients[4];
  const T* m2 = row - 2 * stride;
  const T* m1 = row - stride;
  const T* p1 = row + stride;
  const T* p2 = row + 2 * stride;
  for (int i = 0; i < n; ++i) {
    const T g = c0 * m2[i] + c1 * m1[i] + c2 * row[i] + c3 * p1[i] + c4 * p2[i];
    const T low = g > T(0) ? g : T(0);
    moved[i] = low < row[i] ? low : row[i];
  }
}

/// Protons that leave a slice at its low and high ends.
struct EdgeLoss {
  double low = 0.0, high = 0.0;
};

/// Remaps one slice [rows][nx] along x from `in` to `out`.
template <typename T>
EdgeLoss stream_x(const T* in, T* out, int rows, int nx, const physics::RemapShift& shift, const T* c,
                  std::vector<T>& line) {
  constexpr int kPad = physics::kRemapReach;
  line.assign(u(2 * nx + 2 * kPad), T(0));
  T* p = line.data() + kPad;
  T* moved = p + nx + kPad;
  const int w = shift.whole;
  EdgeLoss lost;
  for (int z = 0; z < rows; ++z) {
    const T* from = in + u(z) * u(nx);
    T* to = out + u(z) * u(nx);
    std::copy_n(from, nx, p);
    for (int k = 1; k <= kPad; ++k) (w < 0 ? p[-k] : p[nx - 1 + k]) = w < 0 ? p[0] : p[nx - 1];  // see remap_neighbour
    flux(moved, p, 1, c, nx);
    // Cell j receives the part of cell j - w that stays, and the part of cell j - w - 1 that moves on.
    const int first = std::clamp(w, 0, nx), last = std::clamp(nx + w, 0, nx);
    std::fill_n(to, first, T(0));
    std::fill(to + last, to + nx, T(0));
    for (int j = first; j < last; ++j) to[j] = p[j - w] - moved[j - w];
    const int first_moved = std::clamp(w + 1, 0, nx), last_moved = std::clamp(nx + w + 1, 0, nx);
    for (int j = first_moved; j < last_moved; ++j) to[j] += moved[j - w - 1];

    for (int i = 0; i < std::clamp(-w, 0, nx); ++i) lost.low += p[i] - moved[i];
    for (int i = std::clamp(nx - w, 0, nx); i < nx; ++i) lost.high += p[i] - moved[i];
    for (int i = 0; i < std::clamp(-w - 1, 0, nx); ++i) lost.low += moved[i];
    for (int i = std::clamp(nx - w - 1, 0, nx); i < nx; ++i) lost.high += moved[i];
  }
  return lost;
}

/// Remaps one slice along z. `in` has kRemapReach rows of zeros on either side, `moved` has the shape [rows][nx].
template <typename T>
EdgeLoss stream_z(const T* in, T* out, T* moved, int rows, int nx, const physics::RemapShift& shift, const T* c) {
  const auto row = [nx](auto* base, int z) { return base + static_cast<std::ptrdiff_t>(z) * nx; };
  flux(moved, in, nx, c, rows * nx);
  const auto inside = [rows](int z) { return z >= 0 && z < rows; };
  EdgeLoss lost;
  const auto lose = [&](int to, double protons) { (to < 0 ? lost.low : lost.high) += protons; };
  for (int z = 0; z < rows; ++z) {
    const int to_row = z + shift.whole;
    if (!inside(to_row)) lose(to_row, sum_of(row(in, z), nx) - sum_of(row(moved, z), nx));
    if (!inside(to_row + 1)) lose(to_row + 1, sum_of(row(moved, z), nx));

    T* __restrict to = row(out, z);
    const T* p = row(in, z - shift.whole);
    const T* stays = row(moved, z - shift.whole);
    const T* comes = row(moved, z - shift.whole - 1);
    if (inside(z - shift.whole) && inside(z - shift.whole - 1)) {
      for (int x = 0; x < nx; ++x) to[x] = (p[x] - stays[x]) + comes[x];
    } else if (inside(z - shift.whole)) {
      for (int x = 0; x < nx; ++x) to[x] = p[x] - stays[x];
    } else if (inside(z - shift.whole - 1)) {
      std::copy_n(comes, nx, to);
    } else {
      std::fill_n(to, nx, T(0));
    }
  }
  return lost;
}

template <typename T>
GatherTotals stream(const GatherContext<T>& c, int e, int a0, int a1) {
  const Tables& t = *c.tables;
  const int rows = c.state->rows;
  const std::size_t slice = u(rows) * u(t.nx);
  const std::size_t pad = u(physics::kRemapReach) * u(t.nx);
  std::vector<T> line;
  std::vector<T> shifted(slice + 2 * pad, T(0)), moved(slice);
  GatherTotals totals;
  const double energy = t.energy[u(e)];
  for (int a = a0; a < a1; ++a) {
    const T* in = c.in + c.state->row(e, a, 0);
    T* out = c.out + c.state->row(e, a, 0);
    T* between = c.state->depth ? out : shifted.data() + pad;
    const EdgeLoss x = stream_x(in, between, rows, t.nx, t.shift_x[u(a)], c.typed->flux_x[u(a)].data(), line);
    lose(totals, kXLow, x.low, energy);
    lose(totals, kXHigh, x.high, energy);
    if (!c.state->depth) {
      const EdgeLoss z =
          stream_z(between, out, moved.data(), rows, t.nx, t.shift_z[u(a)], c.typed->flux_z[u(a)].data());
      lose(totals, kZLow, z.low, energy);
      lose(totals, kZHigh, z.high, energy);
    }
    totals.number += sum_of(out, static_cast<int>(slice));
  }
  totals.energy = totals.number * energy;
  return totals;
}

}  // namespace

template <typename T>
const GatherOps<T>& ops() {
  static constexpr GatherOps<T> all = {slow_down<T>, record<T>, scatter_angles<T>, stream<T>};
  return all;
}

template const GatherOps<float>& ops<float>();
template const GatherOps<double>& ops<double>();

}  // namespace bb::transport::BB_ISA
