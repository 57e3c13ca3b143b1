#pragma once

#include "cuda_window_plan.cuh"

// Clips the items of a step to the actual content of the bins. Runs in one warp, ahead of the workers.
namespace bb::transport::window {

/// An item before it is clipped.
struct UnclippedItem {
  int bin;         // -1: no work
  int z;           // row, or first of kWindowRows rows
  int part, tile;  // parts of the angles and of the columns in the first pass; `part` is of both in the second
  int chunks, tiles;
};

/// Index of an item's bin among those of the plan.
__device__ inline int plan_index(const int* begin, int bins, int item) {
  int place = 0;
#pragma unroll 1
  for (int base = 0; base < bins; base += 32) {
    const int at = base + (static_cast<int>(threadIdx.x) & 31);
    place += __popc(__ballot_sync(kWholeWarp, at < bins && begin[at + 1] <= item));
  }
  return place;
}

/// Returns work item `item` of the first pass. Items in rows that are likely to contain protons come first.
template <typename T>
__device__ inline UnclippedItem collide_item(const SharedPointers<T>& s, const StepPlan& plan, int item) {
  if (item >= plan.collides + plan.rest) return {-1, 0, 0, 0, 1, 1};
  const bool likely = item < plan.collides;
  if (!likely) item -= plan.collides;
  const int* begin = likely ? s.collide_begin : s.rest_begin;
  const int place = plan_index(begin, plan.bins, item);
  const BinPlan r = s.plans[place];
  const int index = item - begin[place];
  const int chunks = likely ? r.chunks : r.rest_chunks;
  const int row = divide(index, r.tiles * chunks);
  const int part = index - row * r.tiles * chunks;
  const int tile = divide(part, chunks);
  const int before = r.likely_z0 - r.z0;
  const int z = likely ? r.likely_z0 + row : row < before ? r.z0 + row : r.likely_z1 + row - before;
  return {plan.low + place, z, part - tile * chunks, tile, chunks, r.tiles};
}

template <typename T>
__device__ inline UnclippedItem stream_item_of(const SharedPointers<T>& s, const StepPlan& plan, int item) {
  if (item >= plan.streams) return {-1, 0, 0, 0, 1, 1};
  const int place = plan_index(s.stream_begin, plan.bins, item);
  const BinPlan r = s.plans[place];
  const int index = item - s.stream_begin[place];
  const int rows = divide(index, r.row_blocks);
  return {plan.low + place, r.out_z0 + rows * kWindowRows, index - rows * r.row_blocks, 0, 1, index == 0 ? 1 : 0};
}

/// The source bins of a bin, and the bin itself.
template <typename T>
class Sources {
 public:
  __device__ Sources(const WindowParameters<T>& parameters, const SharedPointers<T>& memory, int of_bin)
      : p(parameters), s(memory), bin(max(of_bin, 0)), data(memory.bins[max(of_bin, 0)]) {
    const bool among = bin >= data.feed_low && bin < data.feed_low + data.feed_count;
    count = data.feed_count + (among ? 0 : 1);
    mine = source(min(lane(), count - 1));
  }

  /// Starts loading the first boxes before step `step`.
  __device__ void fetch(int step) { box = load_box(p.bounds[step % 3] + mine); }

  /// Box around the sources' content before step `step`.
  __device__ WindowBox content_box(int step) {
    WindowBox all = empty_box();
#pragma unroll 1
    for (int base = 0; base < count; base += 32) {
      const int k = base + lane();
      if (base > 0 && k < count) box = load_box(p.bounds[step % 3] + source(k));
      if (k >= count) box = empty_box();
      if (is_empty(box)) continue;
      all.z0 = min(all.z0, box.z0);
      all.z1 = max(all.z1, box.z1);
      all.a0 = min(all.a0, box.a0);
      all.a1 = max(all.a1, box.a1);
      all.x0 = min(all.x0, box.x0);
      all.x1 = max(all.x1, box.x1);
    }
    __syncwarp();
    all.z0 = __reduce_min_sync(kWholeWarp, all.z0);
    all.z1 = __reduce_max_sync(kWholeWarp, all.z1);
    all.a0 = __reduce_min_sync(kWholeWarp, all.a0);
    all.a1 = __reduce_max_sync(kWholeWarp, all.a1);
    all.x0 = __reduce_min_sync(kWholeWarp, all.x0);
    all.x1 = __reduce_max_sync(kWholeWarp, all.x1);
    return all;
  }

  /// Lists the sources with content in row z, heaviest first.
  __device__ void list_sources(int step, const T* state, int z, WindowSource<T>* views, Item& item) {
    int listed = 0, own_source = -1;
#pragma unroll 1
    for (int base = 0; base < count; base += 32) {
      const int k = base + lane();
      const int from = source(k);
      if (count > 32) box = k < count ? load_box(p.bounds[step % 3] + from) : empty_box();
      const bool holding = k < count && !is_empty(box) && z >= box.z0 && z < box.z1;
      const unsigned held = __ballot_sync(kWholeWarp, holding);
      const int place = listed + __popc(held & ((1u << lane()) - 1));
      const T* weight =
          p.feed_weight + data.feed_weight_at + static_cast<long long>(k) * p.tables.materials * p.tables.classes;
      if (holding) {
        views[place] = {state + row_start(p, from, z),
                        k < data.feed_count ? weight : nullptr,
                        box.a0,
                        box.a1,
                        box.x0,
                        box.x1,
                        from,
                        0};
      }
      own_source = max(own_source, __reduce_max_sync(kWholeWarp, holding && from == bin ? place : -1));
      listed += __popc(held);
    }
    item.sources = listed;
    item.own_source = own_source;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) & 31; }
  __device__ int source(int k) const { return k < data.feed_count ? s.feeds[data.feed_at + k] : bin; }

  const WindowParameters<T>& p;
  const SharedPointers<T>& s;
  int bin, count, mine;
  WindowBin data;
  WindowBox box;  // box of this lane's source
};

/// Sets the angles and columns that a bin's protons can reach.
template <typename T>
__device__ inline void set_reach(const WindowParameters<T>& p, const WindowBox& from, int half, Item& item) {
  item.a0 = max(0, from.a0 - half);
  item.a1 = min(p.tables.ntheta, from.a1 + half);
  item.x0 = floor_quads(min(from.x0, from.x0 + p.whole_x_min));
  item.quads = (ceil_quads(max(from.x1, from.x1 + p.whole_x_max + 1)) - item.x0) / 4;
}

/// Clips a work item of the first pass to the cells that contain protons. Its bin is -1 if no work is left.
template <typename T, bool kDepth>
__device__ void clip_collide(const WindowParameters<T>& p, const UnclippedItem& cut, Sources<T>& sources, int half,
                             int step, WindowSource<T>* views, Item& item, double& cells) {
  const WindowBox from = sources.content_box(step);
  item.z = cut.z;
  item.bin = -1;
  if (is_empty(from) || item.z < from.z0 || item.z >= from.z1) return;
  set_reach(p, from, half, item);
  const int angles = divide_up(item.a1 - item.a0, cut.chunks);
  item.a0 += cut.part * angles;
  item.a1 = min(item.a0 + angles, item.a1);
  const int quads = divide_up(item.quads, cut.tiles);
  item.x0 += 4 * cut.tile * quads;
  item.quads = min(quads, item.quads - cut.tile * quads);
  if (item.a0 >= item.a1 || item.quads <= 0) return;
  item.bin = cut.bin;
  item.from_a0 = max(from.a0, item.a0 - half);
  item.from_a1 = min(from.a1, item.a1 + half);
  sources.list_sources(step, p.state[kDepth ? step & 1 : 0], kDepth ? 0 : item.z, views, item);
  if (kDepth) {
    const int columns = min(item.x0 + 4 * item.quads, p.tables.nx) - max(item.x0, 0);
    cells += static_cast<double>((item.a1 - item.a0) * max(columns, 0));
  }
}

/// Clips a work item of the second pass to the cells that contain protons. Its bin is -1 if no work is left.
template <typename T>
__device__ void clip_stream(const WindowParameters<T>& p, const UnclippedItem& cut, Sources<T>& sources, int half,
                            int step, Item& item, double& cells) {
  const WindowBox from = sources.content_box(step);
  item.bin = -1;
  if (is_empty(from)) return;
  set_reach(p, from, half, item);
  item.z = cut.z;
  item.column = cut.part * kWindowWorkers;
  item.z0 = from.z0;
  item.z1 = from.z1;
  item.out_z1 = from.z1 + p.whole_z_max + 1;
  // The ring of rows is too small. The host detects this by an infinite extreme.
  if (min(item.out_z1, p.tables.nz) - max(from.z0 + p.whole_z_min, 0) > p.rows)
    atomic_max(p.scores.extremes + 1, __int_as_float(0x7f800000));
  if (cut.tiles != 0) {  // the bin's first item counts all cells of the bin
    const int columns = min(item.x0 + 4 * item.quads, p.tables.nx) - max(item.x0, 0);
    const int made = min(item.out_z1, p.tables.nz) - max(from.z0 + p.whole_z_min, 0);
    cells += static_cast<double>(max(made, 0)) * ((item.a1 - item.a0) * max(columns, 0));
  }
  if (item.column >= (item.a1 - item.a0) * item.quads || item.z >= item.out_z1 ||
      item.z + kWindowRows <= from.z0 + p.whole_z_min) {
    return;
  }
  item.bin = cut.bin;
}

}  // namespace bb::transport::window
