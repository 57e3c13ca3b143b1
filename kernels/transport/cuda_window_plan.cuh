#pragma once

#include "cuda_window_common.cuh"

// What a step has to do, found by one warp of every block from the bins' boxes: which cells a bin can reach, and how
// its work is cut into items so that each block gets about one.
namespace bb::transport::window {

inline constexpr int kLeastAngles = 8;  // of an item: it gathers those that its angle kernel reaches as well
inline constexpr int kEmptyLow = 32767;

// What a row of four columns costs a block, about, in loads of four columns from shared memory: to gather, and to
// make and move. An angle kernel adds to the latter by its width.
inline constexpr int kGatherCost = 8;
inline constexpr int kMakeCost = 10;
inline constexpr int kHalvesPerCost = 1;

/// A bin's box as shared memory holds it.
struct alignas(16) HeldBox {
  short z0, z1, a0, a1, x0, x1, unused0, unused1;
};

template <typename T>
__device__ inline bool reach(const WindowParameters<T>& p, const Shared<T>& s, int bin, BinPlan& r) {
  const HeldBox* boxes = reinterpret_cast<const HeldBox*>(s.boxes);
  HeldBox from = boxes[bin];
  const WindowBin& fixed = s.bins[bin];
  const int low = fixed.feed_low, count = fixed.feed_count, half = fixed.half;
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const HeldBox by = boxes[low + k];
    from.z0 = min(from.z0, by.z0);
    from.z1 = max(from.z1, by.z1);
    from.a0 = min(from.a0, by.a0);
    from.a1 = max(from.a1, by.a1);
    from.x0 = min(from.x0, by.x0);
    from.x1 = max(from.x1, by.x1);
  }
  r.z0 = from.z0;
  r.z1 = from.z1;
  r.a0 = from.a0;
  r.a1 = from.a1;
  r.x0 = from.x0;
  r.x1 = from.x1;
  r.made_a0 = static_cast<short>(max(0, from.a0 - half));
  r.made_a1 = static_cast<short>(min(p.tables.ntheta, from.a1 + half));
  const int x0 = floor_quads(min(static_cast<int>(from.x0), from.x0 + p.whole_x_min));
  r.made_x0 = static_cast<short>(x0);
  r.quads = static_cast<short>((ceil_quads(max(static_cast<int>(from.x1), from.x1 + p.whole_x_max + 1)) - x0) / 4);
  r.out_z0 = static_cast<short>(from.z0 + p.whole_z_min);
  r.out_z1 = static_cast<short>(from.z1 + p.whole_z_max + 1);
  return from.a0 < from.a1;
}

/// Items of the second pass side by side in columns and angles.
__device__ inline int stream_blocks(const BinPlan& r) {
  return ((r.made_a1 - r.made_a0) * r.quads + kWindowThreads - 1) / kWindowThreads;
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

/// Lays out step `step` from the boxes in shared memory. Warp 0 of every block finds the same.
template <typename T, bool kDepth>
__device__ void plan_step(const WindowParameters<T>& p, Shared<T>& s, Fixed& fixed, int step) {
  const DeviceTables<T>& t = p.tables;
  const int lane = threadIdx.x;
  const int* holding = fixed.holding[step & 1];
  const int low = max(min(holding[0], holding[0] - t.reach_up), 0);
  const int bins = min(max(holding[1], holding[1] - t.reach_down), t.ne) - low;
  BinPlan r;
  bool live = false;
  // In parts of 2^6, so that whole grids of 10^9 cells fit.
  unsigned cost = 0, rows = 0, cells_low = 0, cells_high = 0;
  for (int base = 0; base < bins; base += 32) {
    live = base + lane < bins && reach(p, s, low + base + lane, r);
    if (!live) continue;
    const int half = s.bins[low + base + lane].half;
    const int angles = r.made_a1 - r.made_a0;
    const int each = (angles + half) * kGatherCost + angles * (kMakeCost + half / kHalvesPerCost);
    const int count = r.z1 - r.z0;
    cost += static_cast<unsigned>(count) * (static_cast<unsigned>(each * r.quads) >> 6);
    rows += static_cast<unsigned>(count) * static_cast<unsigned>(divide_up(r.quads, p.layout.most_quads));
    if (blockIdx.x != 0) continue;
    const int columns = min(r.made_x0 + 4 * r.quads, t.nx) - max(static_cast<int>(r.made_x0), 0);
    const int made = kDepth ? 1 : min(static_cast<int>(r.out_z1), t.nz) - max(static_cast<int>(r.out_z0), 0);
    const unsigned cells = static_cast<unsigned>(made * angles) * static_cast<unsigned>(max(columns, 0));
    cells_low += cells & 0xffffu;
    cells_high += cells >> 16;
  }
  __syncwarp();
  cost = __reduce_add_sync(kWholeWarp, cost);
  rows = __reduce_add_sync(kWholeWarp, rows);
  if (blockIdx.x == 0) {
    cells_low = __reduce_add_sync(kWholeWarp, cells_low);
    cells_high = __reduce_add_sync(kWholeWarp, cells_high);
    if (lane == 0) {
      ledger_row(p.scores, step)[kCellsVisited] =
          static_cast<double>(cells_high) * 65536.0 + static_cast<double>(cells_low);
    }
  }
  // Every row of every bin is at least an item: one for each block where they are few, else two.
  const int blocks = static_cast<int>(gridDim.x);
  const int wanted = (2 * static_cast<int>(rows) <= blocks ? blocks : 2 * blocks) - static_cast<int>(rows);
  const float budget = 64.0f * static_cast<float>(cost) / static_cast<float>(max(wanted, blocks / 2 + 1));

  int collides = 0, streams = 0;  // of the bins before
  for (int base = 0; base < bins; base += 32) {
    if (bins > 32) live = base + lane < bins && reach(p, s, low + base + lane, r);
    int to_collide = 0, to_stream = 0;
    if (live) {
      const int half = s.bins[low + base + lane].half;
      const int angles = r.made_a1 - r.made_a0;
      const int tiles = divide_up(r.quads, p.layout.most_quads);
      const int quads = divide_up(r.quads, tiles);
      // An item of n angles costs (n + 2 half) to gather and n to make.
      const float fit = (__fdividef(budget, static_cast<float>(quads)) - static_cast<float>(2 * half * kGatherCost)) /
                        static_cast<float>(kGatherCost + kMakeCost + half / kHalvesPerCost);
      const int most = min(max(static_cast<int>(fit), kLeastAngles), p.layout.most_angles);
      const int chunk_angles = divide_up(angles, divide_up(angles, most));
      r.chunks = static_cast<short>(divide_up(angles, chunk_angles));
      r.chunk_angles = static_cast<short>(chunk_angles);
      r.tiles = static_cast<short>(tiles);
      r.tile_quads = static_cast<short>(quads);
      s.plans[base + lane] = r;
      to_collide = (r.z1 - r.z0) * r.chunks * tiles;
      if (!kDepth) to_stream = stream_blocks(r) * ((r.out_z1 - r.out_z0 + kWindowRows - 1) / kWindowRows);
    }
    __syncwarp();
    to_collide = collides + scan_warp(to_collide);
    if (!kDepth) to_stream = streams + scan_warp(to_stream);
    if (base + lane < bins) {
      s.collide_begin[base + lane + 1] = to_collide;
      s.stream_begin[base + lane + 1] = to_stream;
    }
    collides = __shfl_sync(kWholeWarp, to_collide, 31);
    if (!kDepth) streams = __shfl_sync(kWholeWarp, to_stream, 31);
  }
  if (lane != 0) return;
  s.collide_begin[0] = s.stream_begin[0] = 0;
  fixed.low = low;
  fixed.bins = max(bins, 0);
  fixed.collides = collides;
  fixed.streams = streams;
}

/// Place among the step's bins that item `item` belongs to. Every thread of the warp calls it.
__device__ inline int place_of_item(const int* begin, int bins, int item) {
  int before = 0;
  for (int base = 0; base < bins; base += 32) {
    const int at = base + (static_cast<int>(threadIdx.x) & 31);
    before += __popc(__ballot_sync(kWholeWarp, at < bins && begin[at + 1] <= item));
  }
  return before;
}

}  // namespace bb::transport::window
