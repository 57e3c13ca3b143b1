#pragma once

#include "cuda_window_common.cuh"

// Plan of a step. One warp of every block partitions the work of the next step while the workers compute the current
// one. Each block gets about one item. All blocks compute the same plan.
namespace bb::transport::window {

// Minimum number of angles per item. An item also gathers the angles within reach of its kernel.
inline constexpr int kMinAngles = 8;
inline constexpr int kEmptyLow = 32767;

// Approximate cost of an angle of four columns for a block, in loads of four columns from shared memory. An angle
// kernel of half width h adds 5/3 h. The cost of gathering neighbouring angles is distributed over the item's angles.
inline constexpr int kRowCost = 18;

__device__ inline int angle_cost(int half) { return kRowCost + half * 5 / 3; }

/// A bin's box in shared memory.
struct alignas(16) SharedBox {
  short z0, z1, a0, a1, x0, x1, unused0, unused1;
};

/// Partition of a step into items.
struct StepPlan {
  int holding_low = 0, holding_high = 0;    // bins with content before the step whose boxes were used
  int low = 0, bins = 0;                    // bins to compute
  int collides = 0, rest = 0, streams = 0;  // items
};

__device__ inline WindowBox load_box(const WindowBox* from) {
  const int4 low = __ldcg(reinterpret_cast<const int4*>(from));
  const int2 high = __ldcg(reinterpret_cast<const int2*>(from) + 2);
  return {low.x, low.y, low.z, low.w, high.x, high.y, {}};
}

__device__ inline int scan_warp(int value) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int offset = 1; offset < 32; offset <<= 1) {
    const int before = __shfl_up_sync(kWholeWarp, value, offset);
    if (lane >= offset) value += before;
  }
  return value;
}

/// Copies the boxes before step `step` of the bins low … high - 1 to shared memory, and empties the boxes of the step
/// after the next. All other bins are empty, and were empty at the last call. Returns the first bin with content and
/// the end of the bins with content.
template <typename T>
__device__ inline int2 take_boxes(const WindowParameters<T>& p, SharedPointers<T>& s, int step, int low, int high) {
  const int lane = threadIdx.x & 31;
  int first = p.tables.ne, last = 0;
  const WindowBox* now = p.bounds[step % 3];
  WindowBox* later = p.bounds[(step + 2) % 3];
#pragma unroll 2
  for (int bin = low + lane; bin < high; bin += 32) {
    const WindowBox box = load_box(now + bin);
    const bool empty = is_empty(box);
    const auto pack = [&](int begin, int end) {
      return empty ? kEmptyLow | 0xffff0000u : static_cast<unsigned>(begin) | static_cast<unsigned>(end) << 16;
    };
    reinterpret_cast<uint4*>(s.boxes)[bin] = {pack(box.z0, box.z1), pack(box.a0, box.a1), pack(box.x0, box.x1), 0u};
    if (s.block == 0) later[bin] = empty_box();
    if (empty) continue;
    first = min(first, bin);
    last = bin + 1;
  }
  __syncwarp();
  return {__reduce_min_sync(kWholeWarp, first), __reduce_max_sync(kWholeWarp, last)};
}

/// Box around the content that can reach a bin within one step, or within two if `ahead`.
template <typename T>
__device__ inline SharedBox wide_box(const SharedPointers<T>& s, int bin, bool ahead) {
  const SharedBox* boxes = reinterpret_cast<const SharedBox*>(s.boxes);
  SharedBox from = boxes[bin];
  const int low = ahead ? s.bins[bin].wide_low : s.bins[bin].feed_low;
  const int count = ahead ? s.bins[bin].wide_count : s.bins[bin].feed_count;
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const SharedBox by = boxes[low + k];
    from.z0 = min(from.z0, by.z0);
    from.z1 = max(from.z1, by.z1);
    from.a0 = min(from.a0, by.a0);
    from.a1 = max(from.a1, by.a1);
    from.x0 = min(from.x0, by.x0);
    from.x1 = max(from.x1, by.x1);
  }
  return from;
}

/// Partitions the step after `step` (if `ahead`) or step `step` itself, from the boxes before step `step`. Runs in one
/// warp. `before` is the plan from the boxes of the previous step, if there is one.
template <typename T, bool kDepth>
__device__ StepPlan plan_step(const WindowParameters<T>& p, SharedPointers<T>& s, int step, bool ahead,
                              const StepPlan* before) {
  const DeviceTables<T>& t = p.tables;
  const int lane = threadIdx.x & 31;
  const int step_down = max(t.reach_up, 0), step_up = max(-t.reach_down, 0);
  const int2 holding = take_boxes(p, s, step, before == nullptr ? 0 : max(before->holding_low - step_down, 0),
                                  before == nullptr ? t.ne : min(before->holding_high + step_up, t.ne));
  StepPlan plan;
  plan.holding_low = holding.x;
  plan.holding_high = holding.y;
  const int down = (ahead ? 2 : 1) * step_down, up = (ahead ? 2 : 1) * step_up;
  plan.low = max(holding.x - down, 0);
  plan.bins = max(min(holding.y + up, t.ne) - plan.low, 0);
  // The unit of cost is 2^6, so that grids of 10^9 cells do not overflow.
  unsigned cost = 0, rows = 0;
  SharedBox box{};
  bool live = false;
#pragma unroll 1
  for (int base = 0; base < plan.bins; base += 32) {
    const int bin = plan.low + base + lane;
    live = base + lane < plan.bins;
    if (live) {
      box = wide_box(s, bin, ahead);
      live = box.a0 < box.a1;
    }
    if (!live) continue;
    const int half = s.bins[bin].half;
    const int angles = box.a1 - box.a0 + half;
    const int quads = (box.x1 - box.x0) / 4 + 1;
    const int each = angles * angle_cost(half);
    cost += static_cast<unsigned>(box.z1 - box.z0) * (static_cast<unsigned>(each * quads + 63) >> 6);
    rows += static_cast<unsigned>(box.z1 - box.z0) * static_cast<unsigned>(divide_up(quads, p.layout.most_quads));
  }
  __syncwarp();
  cost = __reduce_add_sync(kWholeWarp, cost);
  rows = __reduce_add_sync(kWholeWarp, rows);
  // Every row of every bin has at least one work item. The target is one item per block if rows are few, else two.
  const int blocks = s.blocks;
  const int wanted = (2 * static_cast<int>(rows) <= blocks ? blocks : 2 * blocks) - static_cast<int>(rows);
  const float per_cost = static_cast<float>(max(wanted, blocks / 4 + 1)) / (64.0f * static_cast<float>(max(cost, 1u)));

#pragma unroll 1

  for (int base = 0; base < plan.bins; base += 32) {
    const int bin = plan.low + base + lane;
    if (plan.bins > 32) {
      live = base + lane < plan.bins;
      if (live) {
        box = wide_box(s, bin, ahead);
        live = box.a0 < box.a1;
      }
    }
    int to_collide = 0, to_rest = 0, to_stream = 0;
    if (live) {
      const int half = s.bins[bin].half;
      const int reach = ahead ? s.bins[bin].wide_half : half;
      const int most = min(t.ntheta, box.a1 + reach) - max(0, box.a0 - reach);  // angles to compute
      int x0 = box.x0, x1 = box.x1;
      for (int k = 0; k < (ahead ? 2 : 1); ++k) {
        x0 = floor_quads(min(x0, max(x0, 0) + p.whole_x_min));
        x1 = ceil_quads(max(x1, min(x1, p.pitch) + p.whole_x_max + 1));
      }
      const int quads = (x1 - x0) / 4;
      const int tiles = divide_up(quads, p.layout.most_quads);
      const int likely = box.a1 - box.a0 + half;
      const int likely_quads = min(quads, (box.x1 - box.x0) / 4 + 1);
      const float share = static_cast<float>(likely * divide_up(likely_quads, tiles) * angle_cost(half)) * per_cost;
      const int chunks = min(static_cast<int>(share) + 1, divide_up(likely, kMinAngles));
      const int rest_chunks = divide_up(most, p.layout.most_angles);
      int z0 = box.z0, z1 = box.z1;
      if (!kDepth && ahead) {
        z0 = max(0, z0 + p.whole_z_min);
        z1 = min(t.nz, z1 + p.whole_z_max + 1);
      }
      // All content moves on by about one whole step.
      const int ahead_z = kDepth || !ahead ? 0 : p.whole_z_max;
      const int likely_z0 = min(max(box.z0 + ahead_z, z0), z1), likely_z1 = min(max(box.z1 + ahead_z, z0), z1);
      BinPlan r;
      r.z0 = static_cast<short>(z0);
      r.likely_z0 = static_cast<short>(likely_z0);
      r.likely_z1 = static_cast<short>(likely_z1);
      r.out_z0 = static_cast<short>(z0 + p.whole_z_min);
      r.chunks = static_cast<short>(max(chunks, rest_chunks));
      r.rest_chunks = static_cast<short>(rest_chunks);
      r.tiles = static_cast<short>(tiles);
      r.row_blocks = static_cast<short>((most * quads + kWindowWorkers - 1) / kWindowWorkers);
      s.plans[base + lane] = r;
      const int out_rows = z1 + p.whole_z_max + 1 - r.out_z0;
      to_collide = (likely_z1 - likely_z0) * r.chunks * tiles;
      to_rest = (max(z1 - z0, 0) - (likely_z1 - likely_z0)) * rest_chunks * tiles;
      if (!kDepth) to_stream = r.row_blocks * ((out_rows + kWindowRows - 1) / kWindowRows);
    }
    __syncwarp();
    to_collide = plan.collides + scan_warp(to_collide);
    if (!kDepth) {
      to_rest = plan.rest + scan_warp(to_rest);
      to_stream = plan.streams + scan_warp(to_stream);
    }
    if (base + lane < plan.bins) {
      s.collide_begin[base + lane + 1] = to_collide;
      s.rest_begin[base + lane + 1] = to_rest;
      s.stream_begin[base + lane + 1] = to_stream;
    }
    plan.collides = __shfl_sync(kWholeWarp, to_collide, 31);
    if (!kDepth) {
      plan.rest = __shfl_sync(kWholeWarp, to_rest, 31);
      plan.streams = __shfl_sync(kWholeWarp, to_stream, 31);
    }
  }
  if (lane == 0) s.collide_begin[0] = s.rest_begin[0] = s.stream_begin[0] = 0;
  __syncwarp();
  return plan;
}

}  // namespace bb::transport::window
