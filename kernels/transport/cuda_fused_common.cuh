#pragma once

#include "cuda_fused.hpp"
#include "filled_value.hpp"
#include "physics/remap.hpp"

// What the parts of the fused step share; see cuda_fused.hpp for how a step is laid out.
namespace bb::transport::fused {

using physics::kRemapReach;
using physics::kRemapTaps;

inline constexpr int kWarps = kFusedThreads / 32;

template <typename V>
__device__ inline V warp_sum(V v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

/// Adds a value from every thread of the block to `*to` (global), once per warp.
__device__ inline void add_from_warp(double value, double* to) {
  value = warp_sum(value);
  if ((threadIdx.x & 31) == 0 && value != 0.0) atomicAdd(to, value);
}

__device__ inline int clamp_int(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

__device__ inline bool is_empty(const DeviceBox& b) { return b.a0 >= b.a1; }

/// First column of an item's input tile: a multiple of four, like its own first column.
template <typename T>
__device__ inline int input_start(const FusedParameters<T>& p, int x0) {
  return (x0 - p.whole_x_max - kRemapReach - 1) & ~3;
}

/// Columns of the input tile that the outputs of one tile can come from, whole quads.
template <typename T>
__device__ inline int input_width(const FusedParameters<T>& p) {
  const int need = kFusedTile + (p.whole_x_max - p.whole_x_min) + 2 * kRemapReach + 1;
  const int before = (p.whole_x_max + kRemapReach + 1) & 3;  // of the first column, to a multiple of four
  return (need + (before == 0 ? 0 : 4 - before) + 3) & ~3;
}

/// What the bins that feed `bin` hold together.
template <typename T>
__device__ inline DeviceBox source_box(const FusedParameters<T>& p, const DeviceBox* bounds, int bin) {
  DeviceBox from = {1 << 30, -1, 1 << 30, -1, 1 << 30, -1};
  for (int k = p.feed_begin[bin]; k < p.feed_begin[bin + 1]; ++k) {
    const DeviceBox b = bounds[p.feed[k]];
    if (is_empty(b)) continue;
    from.z0 = min(from.z0, b.z0);
    from.z1 = max(from.z1, b.z1);
    from.a0 = min(from.a0, b.a0);
    from.a1 = max(from.a1, b.a1);
    from.x0 = min(from.x0, b.x0);
    from.x1 = max(from.x1, b.x1);
  }
  return from;
}

/// Sums that one item collects per thread.
struct Tally {
  double written = 0, escaped_theta = 0, escaped_x = 0, escaped_z = 0;
  float low = 0, high = 0;  // largest -ψ and largest ψ written
};

/// Largest non-negative value of the block's threads so far; its bits order like integers.
__device__ inline void max_from_warp(float value, float* to) {
  const int bits = __reduce_max_sync(0xffffffffu, __float_as_int(value));
  if ((threadIdx.x & 31) == 0 && bits > 0) atomicMax(reinterpret_cast<int*>(to), bits);
}

/// What a thread has seen above the threshold.
struct Extent {
  int z0 = 1 << 30, z1 = -1, a0 = 1 << 30, a1 = -1, x0 = 1 << 30, x1 = -1;

  /// Four columns from x on, a multiple of four.
  __device__ void add(int z, int a, int x) {
    z0 = min(z0, z);
    z1 = max(z1, z + 1);
    a0 = min(a0, a);
    a1 = max(a1, a + 1);
    x0 = min(x0, x);
    x1 = max(x1, x + 4);
  }
  __device__ void publish(DeviceBox* to) const {
    const int lz = __reduce_min_sync(0xffffffffu, z0), hz = __reduce_max_sync(0xffffffffu, z1);
    const int la = __reduce_min_sync(0xffffffffu, a0), ha = __reduce_max_sync(0xffffffffu, a1);
    const int lx = __reduce_min_sync(0xffffffffu, x0), hx = __reduce_max_sync(0xffffffffu, x1);
    if ((threadIdx.x & 31) != 0 || ha <= 0) return;
    atomicMin(&to->z0, lz);
    atomicMax(&to->z1, hz);
    atomicMin(&to->a0, la);
    atomicMax(&to->a1, ha);
    atomicMin(&to->x0, lx);
    atomicMax(&to->x1, hx);
  }
};

}  // namespace bb::transport::fused
