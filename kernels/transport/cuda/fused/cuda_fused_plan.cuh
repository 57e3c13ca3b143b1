#pragma once

#include "cuda_fused_common.cuh"

namespace bb::transport::fused {

__device__ inline void widen(DeviceBox& box, const DeviceBox& by) {  // an empty box changes nothing
  box.z0 = min(box.z0, by.z0);
  box.z1 = max(box.z1, by.z1);
  box.a0 = min(box.a0, by.a0);
  box.a1 = max(box.a1, by.a1);
  box.x0 = min(box.x0, by.x0);
  box.x1 = max(box.x1, by.x1);
}

/// Box that contains `bin` and the bins that feed it.
template <typename T>
__device__ inline DeviceBox source_box(const FusedParameters<T>& p, const DeviceBox* bounds, int bin) {
  DeviceBox from = bounds[bin];
  const int low = p.feed_low[bin];
  const int count = p.feed_count[bin];
#pragma unroll 4
  for (int k = 0; k < count; ++k) widen(from, bounds[low + k]);
  return from;
}

/// First column that content of a bin can reach in x, rounded down to a quad, and number of quads from there. Quads
/// outside the grid are included, because losses are counted there.
template <typename T>
__device__ inline int reached_x(const FusedParameters<T>& p, const DeviceBox& from) {
  return (from.x0 + p.whole_x_min) & ~3;  // rounded down to a quad, also below 0
}
template <typename T>
__device__ inline int reached_quads(const FusedParameters<T>& p, const DeviceBox& from) {
  return (from.x1 + p.whole_x_max + 1 - reached_x(p, from) + 3) / 4;
}

/// Number of collide items along x.
template <typename T>
__device__ inline int tiles_of(const FusedParameters<T>& p, const DeviceBox& from) {
  return (from.x1 - from.x0 + 4 * p.tile_quads - 1) / (4 * p.tile_quads);
}

/// Returns the inclusive prefix sum of `value` over the block's threads, and the block's sum in `total`.
__device__ inline int scan_block(int value, int& total) {
  __shared__ int parts[kWarps];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int sum = value;
  for (int offset = 1; offset < 32; offset <<= 1) {
    const int before = __shfl_up_sync(0xffffffffu, sum, offset);
    if (lane >= offset) sum += before;
  }
  __syncthreads();
  if (lane == 31) parts[warp] = sum;
  __syncthreads();
  int base = 0;
  total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) base += parts[w];
    total += parts[w];
  }
  return base + sum;
}

/// Plans the items of step `step` from the bounds of its state. Runs in one block.
template <typename T, bool kDepth>
__device__ void plan_step(const FusedParameters<T>& p, int step) {
  const DeviceTables<T>& t = p.tables;
  const DeviceBox* now = p.bounds[step & 1];
  DeviceBox* next = p.bounds[(step + 1) & 1];
  int collides = 0, streams = 0;  // items of earlier bins
  for (int base = 0; base < t.ne; base += kFusedThreads) {
    const int bin = base + static_cast<int>(threadIdx.x);
    int to_collide = 0, to_stream = 0;
    if (bin < t.ne) {
      const DeviceBox from = source_box(p, now, bin);
      const bool live = !is_empty(from);
      p.from[bin] = from;
      next[bin] = live ? from : empty_box();
      if (live) {
        const int columns = (last_angle(p, from, bin) - first_angle(p, from, bin)) * reached_quads(p, from);
        const int made = kDepth ? 1 : from.z1 - from.z0 + p.whole_z_max - p.whole_z_min + 1;
        to_stream = (columns + kFusedThreads - 1) / kFusedThreads * ((made + p.chunk - 1) / p.chunk);
        if (p.marched == nullptr || p.marched[bin] == 0) {
          to_collide = (from.z1 - from.z0) * tiles_of(p, from);
        }
      }
    }
    int all_collides, all_streams;
    const int c = scan_block(to_collide, all_collides);
    const int s = scan_block(to_stream, all_streams);
    if (bin < t.ne) {
      p.collide_begin[bin + 1] = collides + c;
      p.stream_begin[bin + 1] = streams + s;
    }
    collides += all_collides;
    streams += all_streams;
  }
  if (threadIdx.x == 0) p.collide_begin[0] = p.stream_begin[0] = 0;
  __syncthreads();
}

/// Bin of item `item`. Every thread of the warp must call this.
__device__ inline int bin_of_item(const int* begin, int bins, int item) {
  int before = 0;
#pragma unroll 4
  for (int at = static_cast<int>(threadIdx.x) & 31; at < bins; at += 32) before += begin[at + 1] <= item ? 1 : 0;
  return __reduce_add_sync(0xffffffffu, before);
}

/// Ends a step and plans the next; runs in the last block of the step.
template <typename T, bool kDepth>
__device__ void finish_step(const FusedParameters<T>& p, int step) {
  StepControl* control = p.control;
  const double* written = p.written + static_cast<unsigned long long>(step) * 2;
  const bool done = written[2] <= p.stop_number;
  if (!done) plan_step<T, kDepth>(p, step + 1);
  if (threadIdx.x == 0) {
    control->blocks_done = 0;
    if (done) control->done = 1;
    __threadfence();
    atomicExch(&control->step, step + 1);
  }
}

}  // namespace bb::transport::fused
