#include <algorithm>
#include <type_traits>

#include "block_ops.hpp"
#include "lanes.hpp"

namespace bb::diffraction::BB_ISA {
namespace {

// Number types that differ between variants: `I` for positions and indices, `T` for the lattice factor.
template <typename I, typename T>
struct Numbers {
  using Index = I;
  using Factor = T;
};
struct Fp64 : Numbers<double, double> {};
struct Naive : Numbers<float, float> {};
struct Delta : Numbers<float, float> {};
struct Mixed : Numbers<double, float> {};
struct Chebyshev : Numbers<double, double> {};
struct DoubleFloats : Numbers<DoubleFloat, float> {};

/// Values along one crystal axis in every lane: `delta` = h - round(h), `rest` = the fractional part of N·delta,
/// `nearest` = round(h), and the index h itself.
template <typename Factor>
struct Axis {
  alignas(64) Factor delta[kLanes];
  alignas(64) Factor rest[kLanes];
  alignas(64) int nearest[kLanes];
  alignas(64) double index[kLanes];
};

template <typename A>
void axis(const Vec3& edge, double cells, const Lanes3<typename A::Index>& q, bool table,
          Axis<typename A::Factor>& out) {
  using Factor = typename A::Factor;
  const Number3<typename A::Index> e(edge);
  if constexpr (std::is_same_v<A, Naive>) {
    for (int i = 0; i < kLanes; ++i) out.delta[i] = index(e, q, i);
  } else {
    using Scalar = std::conditional_t<std::is_same_v<typename A::Index, double>, double, float>;
    const Scalar n = static_cast<Scalar>(cells);
    for (int i = 0; i < kLanes; ++i) {
      const auto delta = fraction(index(e, q, i));
      out.delta[i] = static_cast<Factor>(leading_part(delta));
      out.rest[i] = static_cast<Factor>(leading_part(fraction(times(n, delta))));
    }
  }
  if (!table) return;
  for (int i = 0; i < kLanes; ++i) {
    out.index[i] = as_double(index(e, q, i));
    out.nearest[i] = static_cast<int>(nearest_whole(out.index[i]));
  }
}

template <typename A>
void block_lattice(const Setup& s, Axis<typename A::Factor>* axes, typename A::Factor* f2) {
  using T = typename A::Factor;
  const Cells<T> n{static_cast<T>(s.na), static_cast<T>(s.nb), static_cast<T>(s.nc)};
  const auto part = [&](int i) { return Fractions<T>{axes[i].delta, axes[i].rest}; };
  const Fractions<T> h = part(0), k = part(1), l = part(2);
  if constexpr (std::is_same_v<A, Naive>) {
    if (s.shape != Shape::kSquare) {
      for (int x = 0; x < 3; ++x) {
        for (int i = 0; i < kLanes; ++i) axes[x].delta[i] -= nearest_whole(axes[x].delta[i]);
      }
    }
    lattice_squared(s.shape, n, h, k, l, f2, kLanes, naive_row_of_cells);
  } else if constexpr (std::is_same_v<A, Chebyshev>) {
    const int na = static_cast<int>(s.na), nb = static_cast<int>(s.nb), nc = static_cast<int>(s.nc);
    // Processes one axis at a time. Each of the N steps is a loop of fixed length over the lanes.
    std::fill_n(f2, kLanes, T(1));
    const auto multiply = [&](const T* __restrict delta, int cells) {
      alignas(64) T twice[kLanes], before[kLanes], here[kLanes];
      for (int i = 0; i < kLanes; ++i) {
        twice[i] = T(2) * cosine(delta[i]);
        before[i] = T(0);
        here[i] = T(1);
      }
      for (int step = 1; step < cells; ++step) {
        for (int i = 0; i < kLanes; ++i) {
          const T next = twice[i] * here[i] - before[i];
          before[i] = here[i];
          here[i] = next;
        }
      }
      for (int i = 0; i < kLanes; ++i) f2[i] *= here[i] * here[i];
    };
    multiply(h.delta, na);
    multiply(k.delta, nb);
    multiply(l.delta, nc);
  } else {
    lattice_squared(s.shape, n, h, k, l, f2, kLanes, row_of_cells<T>);
  }
}

template <typename T>
void cell_squared(const Setup& s, const Axis<T>* axes, T* f2) {
  for (int i = 0; i < kLanes; ++i) {
    const double f = s.lookup == Lookup::kTricubic
                         ? s.structure.tricubic(axes[0].index[i], axes[1].index[i], axes[2].index[i])
                         : s.structure.nearest(axes[0].nearest[i], axes[1].nearest[i], axes[2].nearest[i]);
    f2[i] *= static_cast<T>(f * f);
  }
}

/// Weights of the sub-pixels of a block for one source, with the corrections that the setup enables; FP64 in every
/// variant. `d` holds the directions to the sub-pixels.
void sub_pixel_weights(const Setup& s, const BlockPosition& at, const Lanes3<double>& d, std::size_t source,
                       double* weight) {
  const bool each = s.corrections == Corrections::kSubpixel;
  for (int i = 0; i < at.count; ++i) {
    const Vec3 direction{d.x.of[i], d.y.of[i], d.z.of[i]};
    double w = s.absorbed(at.depth, direction);
    if (each) {
      // The path to a layer is the distance of the layer's plane divided by the cosine of incidence. The middle of a
      // layer lies slightly behind the detector's surface.
      const double close = s.detector.close + (s.thin() ? 0.0 : s.layer * (at.depth + 0.5));
      const double path = close / dot(direction, s.detector.normal);
      w *= s.solid_angle(path) * s.polarisation(s.sources[source], direction);
    }
    weight[i] = w;
  }
}

/// Solid angle and polarisation of whole pixels, evaluated at their first sub-pixel and for the first source.
void pixel_corrections(const Setup& s, BlockPosition at, double* __restrict factor) {
  at.sub_fast = at.sub_slow = at.depth = 0;
  const Vec3 inward = s.thin() ? Vec3{} : (-0.5 * s.layer) * s.detector.normal;
  const Vec3 start = at.first(s) + inward, step = s.pixel * s.detector.fast;
  const double pixel2 = s.pixel * s.pixel, close = s.detector.close, kahn = s.kahn;
  const Vec3 in = s.sources[0].incident, b = s.sources[0].magnetic, e = s.sources[0].electric;
  for (int i = 0; i < kLanes; ++i) {
    const Vec3 position = start + static_cast<double>(i) * step;
    const double r = 1.0 / std::sqrt(dot(position, position));
    const double cos_2theta = r * dot(position, in), along_b = r * dot(position, b), along_e = r * dot(position, e);
    factor[i] = pixel2 * close * r * r * r * physics::polarisation_factor(cos_2theta, along_b, along_e, kahn);
  }
}

template <typename A>
bool block(const Setup& s, BlockPosition at, const std::atomic<bool>& cancel, double* out) {
  using Factor = typename A::Factor;
  const bool each = s.corrections == Corrections::kSubpixel;
  const bool weighted = each || !s.thin();
  const bool table = !s.structure.constant();
  const double f_cell2 = table ? 1.0 : s.structure.default_f() * s.structure.default_f();
  alignas(64) double total[kLanes] = {}, weights[kLanes] = {}, weight[kLanes];
  std::fill_n(weight, kLanes, 1.0);
  Lanes3<typename A::Index> d, q;
  Lanes3<double> exact;  // directions are computed again, for the weights
  Axis<Factor> axes[3];
  alignas(64) Factor f2[kLanes], sum[kLanes];
  for (at.sub_slow = 0; at.sub_slow < s.oversample; ++at.sub_slow) {
    for (at.sub_fast = 0; at.sub_fast < s.oversample; ++at.sub_fast) {
      for (at.depth = 0; at.depth < s.layers; ++at.depth) {
        directions(s, at, d);
        if (weighted) directions(s, at, exact);
        for (std::size_t source = 0; source < s.sources.size(); ++source) {
          if (cancel.load(std::memory_order_relaxed)) return false;
          transfer(s.sources[source], d, q);
          std::fill_n(sum, kLanes, Factor(0));
          for (const Basis& cell : s.orientations) {
            axis<A>(cell.a, s.na, q, table, axes[0]);
            axis<A>(cell.b, s.nb, q, table, axes[1]);
            axis<A>(cell.c, s.nc, q, table, axes[2]);
            block_lattice<A>(s, axes, f2);
            if (table) cell_squared(s, axes, f2);
            for (int i = 0; i < kLanes; ++i) sum[i] += f2[i];
          }
          if (weighted) sub_pixel_weights(s, at, exact, source, weight);
          for (int i = 0; i < kLanes; ++i) {
            total[i] += weight[i] * (f_cell2 * static_cast<double>(sum[i]));
            weights[i] += weight[i];
          }
        }
      }
    }
  }
  if (each) {
    std::fill_n(weight, kLanes, 1.0);
  } else {
    pixel_corrections(s, at, weight);
  }
  for (int i = 0; i < at.count; ++i) out[i] = weight[i] * (s.scale * total[i] + s.water * weights[i]);
  return true;
}

template <typename A>
bool row(const Setup& s, RowPart part, const std::atomic<bool>& cancel, double* out) {
  for (int i = 0; i < part.count; i += kLanes) {
    const int count = std::min(kLanes, part.count - i);
    if (!block<A>(s, {part.fast + i, part.slow, count, 0, 0, 0}, cancel, out + i)) return false;
  }
  return true;
}

}  // namespace

RowFunction block_row(Arithmetic arithmetic) {
  static constexpr RowFunction all[kArithmetics] = {row<Fp64>,  row<Naive>,     row<Delta>,
                                                    row<Mixed>, row<Chebyshev>, row<DoubleFloats>};
  return all[static_cast<int>(arithmetic)];
}

}  // namespace bb::diffraction::BB_ISA
