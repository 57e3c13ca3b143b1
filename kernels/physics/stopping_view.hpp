#pragma once

#include <cmath>

#include "hd.hpp"

namespace bb::physics {

/// Number of the `count` ascending values that do not exceed `value`.
BB_HD inline int not_above(const double* values, int count, double value) {
  int low = 0;
  while (count > 0) {
    const int half = count / 2;
    if (value < values[low + half]) {
      count = half;
    } else {
      low += half + 1;
      count -= half + 1;
    }
  }
  return low;
}

/// Arrays of a StoppingTable, on the host or on a device, and lookups in them.
struct StoppingView {
  static constexpr int kMeshPerTable = 40;  // range mesh cells between two table entries

  const double* x;   // [entries] ln T
  const double* y;   // [entries] ln S
  const double* y2;  // [entries] second derivatives of ln S
  int entries;
  const double* mesh;        // [cells] ln T of the range mesh
  const double* mesh_range;  // [cells] range, g/cm²
  const double* mesh_slope;  // [cells] d ln T / d range, cm²/g
  int cells;

  /// Mass stopping power in MeV cm²/g at `energy` (MeV).
  BB_HD_CALLED double stopping(double energy) const { return exp(log_stopping(log(energy))); }

  /// CSDA range in g/cm² at `energy` (MeV).
  BB_HD_CALLED double range(double energy) const {
    if (energy <= 0.0) return 0.0;
    const double at = log(energy);
    if (at <= mesh[0]) return mesh_range[0] * exp((1.0 - slope_at(x[0])) * (at - mesh[0]));
    return range_in(not_above(mesh, cells, at) - 1, at);
  }

  /// Energy in MeV of a proton with CSDA range `range` (g/cm²); 0 for range <= 0.
  BB_HD_CALLED double energy_at(double range) const {
    if (range <= 0.0) return 0.0;
    if (range <= mesh_range[0]) return exp(mesh[0] + log(range / mesh_range[0]) / (1.0 - slope_at(x[0])));
    const int above = not_above(mesh_range, cells, range);
    const int hi = above < 1 ? 1 : above > cells - 1 ? cells - 1 : above;
    const int lo = hi - 1;
    const double h = mesh_range[hi] - mesh_range[lo];
    const double t = (range - mesh_range[lo]) / h;
    const double u = 1.0 - t;
    double at = u * u * ((1.0 + 2.0 * t) * mesh[lo] + t * h * mesh_slope[lo]) +
                t * t * ((1.0 + 2.0 * u) * mesh[hi] - u * h * mesh_slope[hi]);
    // Beyond the mesh the first guess may be inaccurate, so the loop takes up to eight Newton steps.
    for (int left = t <= 1.0 ? 1 : 8; left > 0; --left) {
      at += (range - range_in(lo, at)) * exp(log_stopping_in(lo, at) - at);
    }
    return exp(at);
  }

  BB_HD double slope_at(double at) const {
    if (at <= x[0]) {
      const double h = x[1] - x[0];
      return (y[1] - y[0]) / h - h * y2[1] / 6.0;
    }
    const int n = entries;
    const double h = x[n - 1] - x[n - 2];
    return (y[n - 1] - y[n - 2]) / h + h * y2[n - 2] / 6.0;
  }

  BB_HD double log_stopping(double at) const {
    if (at <= x[0]) return y[0] + slope_at(x[0]) * (at - x[0]);
    if (at >= x[entries - 1]) return y[entries - 1] + slope_at(x[entries - 1]) * (at - x[entries - 1]);
    return log_stopping_between(not_above(x, entries, at) - 1, at);
  }

  /// Range at ln T = `at` within cell `cell` of the mesh, g/cm².
  BB_HD_CALLED double range_in(int cell, double at) const {
    // Three-point Gauss-Legendre on [0, 1].
    constexpr double kNode[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
    constexpr double kWeight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const double width = at - mesh[cell];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double node = mesh[cell] + width * kNode[k];
      sum += kWeight[k] * exp(node - log_stopping_in(cell, node));
    }
    return mesh_range[cell] + width * sum;
  }

 private:
  /// Spline value between entries `lo` and lo + 1.
  BB_HD double log_stopping_between(int lo, double at) const {
    const int hi = lo + 1;
    const double h = x[hi] - x[lo];
    const double a = (x[hi] - at) / h;
    const double b = 1.0 - a;
    return a * y[lo] + b * y[hi] + ((a * a * a - a) * y2[lo] + (b * b * b - b) * y2[hi]) * h * h / 6.0;
  }
  /// ln S at ln T = `at` within cell `cell` of the mesh, without a search.
  BB_HD double log_stopping_in(int cell, double at) const {
    const int lo = cell / kMeshPerTable;
    return lo + 1 < entries ? log_stopping_between(lo, at) : log_stopping(at);
  }
};

}  // namespace bb::physics
