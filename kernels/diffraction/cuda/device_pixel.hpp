#pragma once

#include "device_arithmetic.hpp"
#include "tuning/tunable.hpp"

namespace bb::diffraction::device {

/// Number of orientations whose intensities are added in the type of the lattice factor before they go to the FP64 sum.
BB_TUNABLE(int, kTile, 64);

/// Number of rows of pixels in a block of the fused kernels. Blocks are 32 pixels wide.
BB_TUNABLE(int, kBlockHeight, 8);

/// Number of sub-pixels and sources of a pixel that are processed between two checks for cancellation.
inline constexpr int kCancelCheckInterval = 16;

/// Reads a flag that the host may write while the kernel runs.
BB_HD inline bool is_set(const int* flag) { return *static_cast<const volatile int*>(flag) != 0; }

/// Unit vector from the crystal to a sub-pixel; sub-pixels are numbered over the whole detector.
template <typename S>
BB_HD inline Number3<typename S::Index> direction(const S& s, int fast, int slow, int depth) {
  using I = typename S::Index;
  const I f = from_count<I>(fast), t = from_count<I>(slow);
  Number3<I> p;
  p.x = s.first.x + t * s.slow.x + f * s.fast.x;
  p.y = s.first.y + t * s.slow.y + f * s.fast.y;
  p.z = s.first.z + t * s.slow.z + f * s.fast.z;
  if (s.weighted) {  // otherwise the sensor is thin
    const I d = from_count<I>(depth);
    p.x = p.x + d * s.deep.x;
    p.y = p.y + d * s.deep.y;
    p.z = p.z + d * s.deep.z;
  }
  const I r = reciprocal_root(p.x * p.x + p.y * p.y + p.z * p.z);
  p.x = r * p.x;
  p.y = r * p.y;
  p.z = r * p.z;
  return p;
}

/// Scattering vector q = (d - incident) / wavelength, 1/m.
template <typename I>
BB_HD inline Number3<I> transfer(const Ray<I>& ray, const Number3<I>& d) {
  Number3<I> q;
  q.x = ray.per_wavelength * (d.x - ray.incident.x);
  q.y = ray.per_wavelength * (d.y - ray.incident.y);
  q.z = ray.per_wavelength * (d.z - ray.incident.z);
  return q;
}

template <typename I>
BB_HD inline I index(const Number3<I>& edge, const Number3<I>& q) {
  return edge.x * q.x + edge.y * q.y + edge.z * q.z;
}

/// Squared structure factor at three indices.
template <typename S, typename I = typename S::Index>
BB_HD inline typename S::Factor cell_squared(const S& s, I h, I k, I l) {
  const double x = as_double(h), y = as_double(k), z = as_double(l);
  const auto f = s.lookup == Lookup::kTricubic
                     ? s.factors.tricubic(x, y, z)
                     : s.factors.nearest(static_cast<int>(nearest_whole(x)), static_cast<int>(nearest_whole(y)),
                                         static_cast<int>(nearest_whole(z)));
  return f * f;
}

/// F² of lattice and cell; of the lattice alone if all cells are alike.
template <typename A, typename S>
BB_HD inline typename A::Factor intensity(const S& s, const Edges<typename A::Index>& edges,
                                          const Number3<typename A::Index>& q) {
  const auto h = index(edges.a, q), k = index(edges.b, q), l = index(edges.c, q);
  const typename A::Factor f2 = A::lattice(s, h, k, l);
  return s.table ? f2 * cell_squared(s, h, k, l) : f2;
}

/// Weight of a sub-pixel for one source; FP64 in every variant.
template <typename S>
BB_HD inline double weight(const S& s, int fast, int slow, int depth, int source) {
  const Vec3 position = s.plate.position(fast, slow, depth);
  const double path = length(position);
  const Vec3 d = (1.0 / path) * position;
  const double absorbed = s.plate.absorbed(depth, d);
  return s.each ? absorbed * s.plate.solid_angle(path) * s.plate.polarisation(s.source[source], d) : absorbed;
}

/// Solid angle and polarisation of a whole pixel in direction `d`. The solid angle is pixel²/R² · close/R, where R =
/// close / cos(incidence) is the distance of the pixel, and `close` the distance of the plane.
template <typename S, typename T = typename S::Factor>
BB_HD inline T correction_towards(const S& s, const Number3<T>& d) {
  const Light<T>& light = s.light;
  const auto along = [&](const Number3<T>& v) { return d.x * v.x + d.y * v.y + d.z * v.z; };
  const T cosine = along(light.normal);
  return light.nearest * cosine * cosine * cosine *
         physics::polarisation_factor(along(light.incident), along(light.magnetic), along(light.electric), light.kahn);
}

/// Solid angle and polarisation of pixel (fast, slow), evaluated on the surface at its first sub-pixel, for the first
/// source.
template <typename S>
BB_HD inline typename S::Factor pixel_correction(const S& s, int fast, int slow) {
  using T = typename S::Factor;
  const T f = static_cast<T>(fast), t = static_cast<T>(slow);
  Number3<T> d;
  d.x = s.surface.x + f * s.across.x + t * s.down.x;
  d.y = s.surface.y + f * s.across.y + t * s.down.y;
  d.z = s.surface.z + f * s.across.z + t * s.down.z;
  const T r = reciprocal_root(d.x * d.x + d.y * d.y + d.z * d.z);
  d.x *= r;
  d.y *= r;
  d.z *= r;
  return correction_towards(s, d);
}

/// Sums over all terms of a pixel (sub-pixels, layers, sources and orientations), or over a share of them.
template <typename T>
struct Sums {
  double scattered = 0, weights = 0;
  Number3<T> first;  // direction of the first sub-pixel
};

template <typename I, typename T>
BB_HD inline void set_first_direction(const Number3<I>& d, Sums<T>& sums) {
  sums.first.x = static_cast<T>(leading_part(d.x));
  sums.first.y = static_cast<T>(leading_part(d.y));
  sums.first.z = static_cast<T>(leading_part(d.z));
}

/// Photons of a pixel from its sums.
template <typename S, typename T = typename S::Factor>
BB_HD inline T photons(const S& s, int fast, int slow, const Sums<T>& sums) {
  const T all = static_cast<T>(s.scale * s.f2 * sums.scattered + s.water * sums.weights);
  if (s.each) return all;
  // If the sensor has layers, the first sub-pixel lies within a layer and its direction cannot be used for the whole
  // pixel.
  return all * (s.weighted ? pixel_correction(s, fast, slow) : correction_towards(s, sums.first));
}

/// Computes a pixel in one thread. `Table` provides the orientations: `load(s, first, count)` prepares them, and `at(s,
/// i)` returns orientation i. `any_cancelled(seen)` returns true to all threads that load together if any of them has `seen`
/// the cancellation. The result is then invalid.
template <typename A, typename S, typename Table>
BB_HD inline Sums<typename A::Factor> whole_pixel(const S& s, int fast, int slow, Table& table) {
  using T = typename A::Factor;
  const int n = s.plate.oversample;
  Sums<T> sums;
  for (int ss = 0; ss < n; ++ss) {
    for (int sf = 0; sf < n; ++sf) {
      for (int depth = 0; depth < s.plate.layers; ++depth) {
        const auto d = direction(s, fast * n + sf, slow * n + ss, depth);
        if (ss + sf + depth == 0) set_first_direction(d, sums);
        for (int source = 0; source < s.sources; ++source) {
          if (s.cancelled != nullptr && (sf * s.sources + source) % kCancelCheckInterval == 0 &&
              table.any_cancelled(is_set(s.cancelled))) {
            return sums;
          }
          const auto q = transfer(s.rays[source], d);
          const double w = s.weighted ? weight(s, fast * n + sf, slow * n + ss, depth, source) : 1.0;
          sums.weights += w;
          for (int first = 0; first < s.orientations; first += kTile) {
            const int count = s.orientations - first < kTile ? s.orientations - first : kTile;
            table.load(s, first, count);
            T sum = 0;
            for (int i = 0; i < count; ++i) sum += intensity<A>(s, table.at(s, i), q);
            sums.scattered += w * static_cast<double>(sum);
          }
        }
      }
    }
  }
  return sums;
}

/// Sums the terms lane, lane + lanes, … of a pixel, counted through its sub-pixels, layers, sources and orientations.
template <typename A, typename S>
BB_HD inline Sums<typename A::Factor> share_of_pixel(const S& s, int fast, int slow, int lane, int lanes) {
  using T = typename A::Factor;
  const int n = s.plate.oversample, beams = n * n * s.plate.layers * s.sources;
  Sums<T> sums;
  int orientation = lane, passed = 0;
  for (int beam = 0; beam < beams;) {
    if (orientation >= s.orientations) {
      beam += orientation / s.orientations;
      orientation %= s.orientations;
      continue;
    }
    if (s.cancelled != nullptr && passed++ % kCancelCheckInterval == 0 && is_set(s.cancelled)) return sums;
    const int source = beam % s.sources, depth = beam / s.sources % s.plate.layers;
    const int sub = beam / (s.sources * s.plate.layers), sf = sub % n, ss = sub / n;
    const auto d = direction(s, fast * n + sf, slow * n + ss, depth);
    if (beam == 0) set_first_direction(d, sums);
    const auto q = transfer(s.rays[source], d);
    const double w = s.weighted ? weight(s, fast * n + sf, slow * n + ss, depth, source) : 1.0;
    if (orientation == 0) sums.weights += w;
    while (orientation < s.orientations) {
      T sum = 0;
      for (int i = 0; i < kTile && orientation < s.orientations; ++i, orientation += lanes) {
        sum += intensity<A>(s, s.edges[orientation], q);
      }
      sums.scattered += w * static_cast<double>(sum);
    }
  }
  return sums;
}

/// Orientations from the list in the setup.
template <typename I>
struct ListedEdges {
  const Edges<I>* tile = nullptr;

  BB_HD bool any_cancelled(bool seen) const { return seen; }
  template <typename S>
  BB_HD void load(const S& s, int first, int) {
    tile = s.edges + first;
  }
  template <typename S>
  BB_HD const Edges<I>& at(const S&, int i) const {
    return tile[i];
  }
};

/// Rotates the crystal at every use: by phi if it changed, and always by the mosaic domain.
struct RotatedEdges {
  Basis turned;
  int phi = 0, domain = 0;

  BB_HD bool any_cancelled(bool seen) const { return seen; }
  template <typename S>
  BB_HD void load(const S& s, int first, int) {
    phi = first / s.domains;
    domain = first % s.domains;
    turn(s);
  }
  template <typename S>
  BB_HD Edges<double> at(const S& s, int) {
    if (domain == s.domains) {
      domain = 0;
      ++phi;
      turn(s);
    }
    const Basis b = s.domain[domain++] * turned;
    return {Number3<double>(b.a), Number3<double>(b.b), Number3<double>(b.c)};
  }
  template <typename S>
  BB_HD void turn(const S& s) {
    const double c = std::cos(s.phi[phi]), sine = std::sin(s.phi[phi]);
    turned = {rotate(s.mounted.a, s.spindle, c, sine), rotate(s.mounted.b, s.spindle, c, sine),
              rotate(s.mounted.c, s.spindle, c, sine)};
  }
};

}  // namespace bb::diffraction::device
