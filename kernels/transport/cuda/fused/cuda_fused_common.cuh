#pragma once

#include "cuda_fused.hpp"
#include "physics/remap.hpp"
#include "transport/cuda/cuda_common.cuh"
#include "transport/cuda/cuda_quad.cuh"
#include "transport/model/filled_value.hpp"

// Helpers shared by the parts of the fused step; cuda_fused.hpp describes the layout of a step.
namespace bb::transport::fused {

using physics::kRemapReach;
using physics::kRemapTaps;

inline constexpr int kWarps = kFusedThreads / 32;

template <typename V>
__device__ inline V warp_sum(V v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

/// Adds the sum of `value` over the warp to `*to`, in global memory. All its threads must call this.
__device__ inline void add_from_warp(double value, double* to) {
  if (!__any_sync(0xffffffffu, value != 0.0)) return;
  value = warp_sum(value);
  if ((threadIdx.x & 31) == 0) atomicAdd(to, value);
}

/// Adds the sum of `value` over the block to `*to`, in global memory. All its threads must call this.
template <int kMaxWarps = kWarps>
__device__ inline void add_from_block(double value, double* to) {
  __shared__ double parts[kMaxWarps];
  if (!__syncthreads_or(value != 0.0)) return;
  value = warp_sum(value);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x + 31) / 32; ++w) sum += parts[w];
  atomicAdd(to, sum);
}

__device__ inline bool is_empty(const DeviceBox& b) { return b.a0 >= b.a1; }

__device__ inline DeviceBox empty_box() { return {1 << 30, -1, 1 << 30, -1, 1 << 30, -1}; }

/// First element of row z of a bin in `state` and `turned`.
template <typename T>
__device__ inline unsigned long long row_start(const FusedParameters<T>& p, int bin, int z) {
  return (static_cast<unsigned long long>(bin) * p.rows + z) * p.tables.ntheta * p.pitch;
}

/// Half-open range of angles that a bin's sources can reach.
template <typename T>
__device__ inline int first_angle(const FusedParameters<T>& p, const DeviceBox& from, int bin) {
  return max(0, from.a0 - p.half[bin]);
}
template <typename T>
__device__ inline int last_angle(const FusedParameters<T>& p, const DeviceBox& from, int bin) {
  return min(p.tables.ntheta, from.a1 + p.half[bin]);
}

/// Raises `*to` to the largest value of the warp's threads. Values are >= 0, so that their bit patterns are ordered
/// like integers.
__device__ inline void max_from_warp(float value, float* to) {
  const int bits = __reduce_max_sync(0xffffffffu, __float_as_int(value));
  if ((threadIdx.x & 31) == 0 && bits > __float_as_int(*static_cast<volatile float*>(to))) {
    atomicMax(reinterpret_cast<int*>(to), bits);
  }
}

/// Raises `*to` to the value of one thread.
__device__ inline void max_from_thread(float value, float* to) {
  if (value > *static_cast<volatile float*>(to)) atomicMax(reinterpret_cast<int*>(to), __float_as_int(value));
}

}  // namespace bb::transport::fused
