#pragma once

#include <algorithm>

#include "gather_ops.hpp"
#include "transport/model/index.hpp"

// Helpers shared by the gathering operators; only *.simd.cpp include this.
namespace bb::transport::BB_ISA {

/// Σ p[i] in FP64, in independent lanes, because dependent additions would wait for each other.
template <typename T>
inline double sum_of(const T* p, int n) {
  constexpr int kLanes = 16;
  double lane[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] += static_cast<double>(p[i + j]);
  }
  for (; i < n; ++i) lane[0] += static_cast<double>(p[i]);
  double sum = 0.0;
  for (const double part : lane) sum += part;
  return sum;
}

/// Calls f(material, first, last) for each run of cells of one material in a block, counted from the block's first
/// cell. A run may continue across the ends of rows.
template <typename T, typename F>
void each_material_stretch(const GatherContext<T>& c, RowBlock block, F&& f) {
  const Tables& t = *c.tables;
  int material = -1, first = 0, last = 0;
  for (int z = block.z0; z < block.z1; ++z) {
    const std::size_t row = u(std::min(c.state->map_row(z), t.nz - 1));
    for (int r = c.typed->run_begin[row]; r < c.typed->run_begin[row + 1]; ++r) {
      const MaterialRun& run = c.typed->runs[u(r)];
      if (run.material != material) {
        if (last > first) f(material, first, last);
        material = run.material;
        first = last;
      }
      last += run.end - run.begin;
    }
  }
  if (last > first) f(material, first, last);
}

inline void lose(GatherTotals& totals, Face face, double protons, double energy) {
  totals.lost[face] += protons;
  totals.lost_energy[face] += protons * energy;
}

}  // namespace bb::transport::BB_ISA
