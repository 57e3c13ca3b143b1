#pragma once

#include "cuda_window_common.cuh"

// What a step has to do, found by every block for itself from the bins' boxes: which cells a bin can reach, and
// how its work is cut into items so that each block gets about one.
namespace bb::transport::window {

inline constexpr int kLeastAngles = 8;  // of an item: it gathers those that its angle kernel reaches as well
inline constexpr int kEmptyLow = 32767;

/// What the step of a bin covers: `from`, what its sources and itself hold together, and what it makes.
struct Reach {
  WindowBox from;
  int a0, a1;     // angles made
  int x0, quads;  // columns made, from a multiple of four that may lie outside the grid, where what leaves is counted
  int z0, z1;     // rows made by the second pass, also outside the grid
};

/// How the first pass of a bin is cut, per row of z.
struct Split {
  int chunks, angles;  // of `angles` angles each
  int tiles, quads;    // of `quads` columns of four each
};

template <typename T>
__device__ inline WindowBox source_box(const WindowParameters<T>& p, const Shared<T>& s, int bin) {
  const auto widen = [](WindowBox& box, const short* by) {
    box.z0 = min(box.z0, static_cast<int>(by[0]));
    box.z1 = max(box.z1, static_cast<int>(by[1]));
    box.a0 = min(box.a0, static_cast<int>(by[2]));
    box.a1 = max(box.a1, static_cast<int>(by[3]));
    box.x0 = min(box.x0, static_cast<int>(by[4]));
    box.x1 = max(box.x1, static_cast<int>(by[5]));
  };
  WindowBox from = empty_box();
  widen(from, s.boxes + 8 * bin);
  const int low = s.bins[bin].feed_low, count = s.bins[bin].feed_count;
  for (int k = 0; k < count; ++k) widen(from, s.boxes + 8 * (low + k));
  return from;
}

template <typename T>
__device__ inline Reach reach_of(const WindowParameters<T>& p, const Shared<T>& s, int bin) {
  Reach r;
  r.from = source_box(p, s, bin);
  const int half = s.bins[bin].half;
  r.a0 = max(0, r.from.a0 - half);
  r.a1 = min(p.tables.ntheta, r.from.a1 + half);
  r.x0 = floor_quads(min(r.from.x0, r.from.x0 + p.whole_x_min));
  r.quads = (ceil_quads(max(r.from.x1, r.from.x1 + p.whole_x_max + 1)) - r.x0) / 4;
  r.z0 = r.from.z0 + p.whole_z_min;
  r.z1 = r.from.z1 + p.whole_z_max + 1;
  return r;
}

template <typename T>
__device__ inline Split split_of(const WindowParameters<T>& p, const Reach& r, float cost, float budget) {
  Split out;
  out.tiles = ceil_div(r.quads, p.layout.most_quads);
  out.quads = ceil_div(r.quads, out.tiles);
  const int angles = r.a1 - r.a0;
  const float share = static_cast<float>(angles) * static_cast<float>(out.quads) * cost / budget;
  const int wanted = share < static_cast<float>(angles) ? static_cast<int>(share) + 1 : angles;
  const int chunks = max(ceil_div(angles, p.layout.most_angles), min(wanted, ceil_div(angles, kLeastAngles)));
  out.angles = ceil_div(angles, chunks);
  out.chunks = ceil_div(angles, out.angles);
  return out;
}

/// Items of the second pass side by side in columns and angles.
__device__ inline int stream_blocks(const Reach& r) { return ceil_div((r.a1 - r.a0) * r.quads, kWindowThreads); }

__device__ inline void scan_warp(int& value) {
  const int lane = threadIdx.x & 31;
  for (int offset = 1; offset < 32; offset <<= 1) {
    const int before = __shfl_up_sync(kWholeWarp, value, offset);
    if (lane >= offset) value += before;
  }
}

/// Lays out step `step`. Every block finds the same. Returns the budget that the items were cut by.
template <typename T, bool kDepth>
__device__ float plan_step(const WindowParameters<T>& p, Shared<T>& s, Fixed& fixed, int step) {
  const DeviceTables<T>& t = p.tables;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float cost = 0;
  int live = 0;
  double cells = 0;
  for (int bin = threadIdx.x; bin < t.ne; bin += kWindowThreads) {
    const Reach r = reach_of(p, s, bin);
    if (is_empty(r.from)) continue;
    const int rows = r.from.z1 - r.from.z0;
    const int angles = r.a1 - r.a0;
    cost += static_cast<float>(rows) * static_cast<float>(angles * r.quads) * s.bins[bin].cost;
    live += rows * ceil_div(r.quads, p.layout.most_quads);
    const int columns = min(r.x0 + 4 * r.quads, t.nx) - max(r.x0, 0);
    const int made = kDepth ? 1 : min(r.z1, t.nz) - max(r.z0, 0);
    cells += static_cast<double>(made) * angles * max(columns, 0);
  }
  for (int offset = 16; offset > 0; offset >>= 1) cost += __shfl_xor_sync(kWholeWarp, cost, offset);
  live = __reduce_add_sync(kWholeWarp, live);
  if (blockIdx.x == 0) cells = warp_sum(cells);
  if (lane == 0) {
    fixed.cost[warp] = cost;
    fixed.live[warp] = live;
    fixed.cells[warp] = cells;
  }
  __syncthreads();
  cost = 0;
  live = 0;
  for (int w = 0; w < kWarps; ++w) {
    cost += fixed.cost[w];
    live += fixed.live[w];
  }
  const int blocks = static_cast<int>(gridDim.x);
  const float budget = cost / static_cast<float>(max(blocks - live, blocks / 2 + 1));
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    double visited = 0;
    for (int w = 0; w < kWarps; ++w) visited += fixed.cells[w];
    ledger_row(p.scores, step)[kCellsVisited] = visited;
  }

  int collides = 0, streams = 0;  // of the bins before
  for (int base = 0; base < t.ne; base += kWindowThreads) {
    const int bin = base + static_cast<int>(threadIdx.x);
    int to_collide = 0, to_stream = 0;
    if (bin < t.ne) {
      const Reach r = reach_of(p, s, bin);
      if (!is_empty(r.from)) {
        const Split split = split_of(p, r, s.bins[bin].cost, budget);
        to_collide = (r.from.z1 - r.from.z0) * split.chunks * split.tiles;
        to_stream = kDepth ? 0 : stream_blocks(r) * ceil_div(r.z1 - r.z0, kWindowRows);
      }
    }
    scan_warp(to_collide);
    scan_warp(to_stream);
    if (base > 0) __syncthreads();  // the parts of the bins before are read
    if (lane == 31) {
      fixed.scan[0][warp] = to_collide;
      fixed.scan[1][warp] = to_stream;
    }
    __syncthreads();
    for (int w = 0; w < warp; ++w) {
      to_collide += fixed.scan[0][w];
      to_stream += fixed.scan[1][w];
    }
    if (bin < t.ne) {
      s.collide_begin[bin + 1] = collides + to_collide;
      s.stream_begin[bin + 1] = streams + to_stream;
    }
    for (int w = 0; w < kWarps; ++w) {
      collides += fixed.scan[0][w];
      streams += fixed.scan[1][w];
    }
  }
  if (threadIdx.x == 0) s.collide_begin[0] = s.stream_begin[0] = 0;
  __syncthreads();
  return budget;
}

/// Bin that item `item` belongs to. Every thread of the warp calls it.
__device__ inline int bin_of_item(const int* begin, int bins, int item) {
  int before = 0;
  for (int at = static_cast<int>(threadIdx.x) & 31; at < bins; at += 32) before += begin[at + 1] <= item ? 1 : 0;
  return __reduce_add_sync(kWholeWarp, before);
}

}  // namespace bb::transport::window
