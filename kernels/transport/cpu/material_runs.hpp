#pragma once

#include <cstddef>
#include <cstdint>

#include "row_sums.hpp"
#include "transport/model/typed_tables.hpp"

// The stretches of one material in a row of the map. Only *.simd.cpp include this.
namespace bb::transport::BB_ISA {

/// Calls f(material, lo, hi) for the stretches of row `z` among the `width` columns from `start` on,
/// with lo and hi counted from `start`. A row of one material includes its padding.
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

}  // namespace bb::transport::BB_ISA
