#include <cmath>

#include "block_ops.hpp"
#include "lanes.hpp"

namespace bb::diffraction::BB_ISA {
namespace {

void directions_stage(const Setup& s, int sub_fast, int sub_slow, int depth, int first, int last, Planes d) {
  for (int slow = first; slow < last; ++slow) {
    const Vec3 start = s.position(sub_fast, slow * s.oversample + sub_slow, depth);
    const Vec3 step = s.pixel * s.detector.fast;
    const std::size_t row = static_cast<std::size_t>(slow) * static_cast<std::size_t>(s.width);
    double* __restrict x = d.x + row;
    double* __restrict y = d.y + row;
    double* __restrict z = d.z + row;
    for (int i = 0; i < s.width; ++i) {
      const Vec3 p = start + static_cast<double>(i) * step;
      const double r = 1.0 / std::sqrt(dot(p, p));
      x[i] = r * p.x;
      y[i] = r * p.y;
      z[i] = r * p.z;
    }
  }
}

void transfer_stage(const Source& source, std::size_t begin, std::size_t end, Planes d, Planes q) {
  const Vec3 in = source.incident;
  const double per = 1.0 / source.wavelength;
  for (std::size_t i = begin; i < end; ++i) q.x[i] = per * (d.x[i] - in.x);
  for (std::size_t i = begin; i < end; ++i) q.y[i] = per * (d.y[i] - in.y);
  for (std::size_t i = begin; i < end; ++i) q.z[i] = per * (d.z[i] - in.z);
}

void index_stage(Vec3 edge, std::size_t begin, std::size_t end, Planes q, double* __restrict out) {
  const double* __restrict x = q.x, * __restrict y = q.y, * __restrict z = q.z;
  for (std::size_t i = begin; i < end; ++i) out[i] = edge.x * x[i] + edge.y * y[i] + edge.z * z[i];
}

void indices_stage(const Basis& cell, std::size_t begin, std::size_t end, Planes q, Planes hkl) {
  index_stage(cell.a, begin, end, q, hkl.x);
  index_stage(cell.b, begin, end, q, hkl.y);
  index_stage(cell.c, begin, end, q, hkl.z);
}

void lattice_stage(const Setup& s, std::size_t begin, std::size_t end, Planes hkl, double* f2) {
  alignas(64) double delta[3][kLanes], rest[3][kLanes];
  const double* const indices[3] = {hkl.x, hkl.y, hkl.z};
  const Cells<double> cells{s.na, s.nb, s.nc};
  for (std::size_t i = begin; i < end; i += kLanes) {
    const int count = static_cast<int>(end - i < kLanes ? end - i : kLanes);
    for (int axis = 0; axis < 3; ++axis) {
      const double n = axis == 0 ? s.na : axis == 1 ? s.nb : s.nc;
      const double* h = indices[axis] + i;
      for (int lane = 0; lane < count; ++lane) {
        const double d = h[lane] - nearest_whole(h[lane]);
        delta[axis][lane] = d;
        rest[axis][lane] = n * d - nearest_whole(n * d);
      }
    }
    lattice_squared(s.shape, cells, {delta[0], rest[0]}, {delta[1], rest[1]}, {delta[2], rest[2]}, f2 + i, count,
                    row_of_cells<double>);
  }
}

void structure_stage(const Setup& s, std::size_t begin, std::size_t end, Planes hkl, double* f2) {
  if (s.structure.constant()) {
    const double all = s.structure.default_f() * s.structure.default_f();
    for (std::size_t i = begin; i < end; ++i) f2[i] *= all;
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    const double h = hkl.x[i], k = hkl.y[i], l = hkl.z[i];
    const double f = s.lookup == Lookup::kTricubic
                         ? s.structure.tricubic(h, k, l)
                         : s.structure.nearest(static_cast<int>(nearest_whole(h)), static_cast<int>(nearest_whole(k)),
                                               static_cast<int>(nearest_whole(l)));
    f2[i] *= f * f;
  }
}

void weights_stage(const Setup& s, std::size_t source, int depth, std::size_t begin, std::size_t end, Planes d,
                   double* w) {
  const bool each = s.corrections == Corrections::kSubpixel;
  const double close = s.detector.close + (s.thin() ? 0.0 : s.layer * (depth + 0.5));
  for (std::size_t i = begin; i < end; ++i) {
    const Vec3 direction{d.x[i], d.y[i], d.z[i]};
    w[i] = s.absorbed(depth, direction);
    if (!each) continue;
    w[i] *= s.solid_angle(close / dot(direction, s.detector.normal)) * s.polarisation(s.sources[source], direction);
  }
}

void accumulate_stage(std::size_t begin, std::size_t end, const double* __restrict w, const double* __restrict f2,
                      double* __restrict sum) {
  for (std::size_t i = begin; i < end; ++i) sum[i] += w[i] * f2[i];
}

void finish_stage(const Setup& s, std::size_t begin, std::size_t end, const double* __restrict factor,
                  const double* __restrict weights, double* __restrict sum) {
  for (std::size_t i = begin; i < end; ++i) sum[i] = factor[i] * (s.scale * sum[i] + s.water * weights[i]);
}

}  // namespace

const StageFunctions& stages() {
  static constexpr StageFunctions all = {directions_stage, transfer_stage, indices_stage,    lattice_stage,
                                         structure_stage,  weights_stage,  accumulate_stage, finish_stage};
  return all;
}

}  // namespace bb::diffraction::BB_ISA
