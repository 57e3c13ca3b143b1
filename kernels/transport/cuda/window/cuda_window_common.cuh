#pragma once

#include "cuda_window.hpp"
#include "transport/cuda/cuda_common.cuh"
#include "transport/cuda/cuda_quad.cuh"
#include "transport/model/filled_value.hpp"

// Helpers shared by the parts of the window's kernel.
namespace bb::transport::window {

using physics::kRemapTaps;

inline constexpr int kWarps = kWindowWorkers / 32;

/// Sums over a step. Each warp has one element per entry.
enum WindowTally {
  kTallyNumber,
  kTallyStopped,
  kTallyNuclear,
  kTallyNuclearEnergy,
  kTallyXLow,
  kTallyXHigh,
  kTallyWritten,
  kTallyDeposited,
  kTallied,                       // number of sums to which every work item of the first pass adds
  kTallyNumberEnergy = kTallied,  // energy of some of these sums, MeV:
  kTallyXLowEnergy,
  kTallyXHighEnergy,
  kTallyWrittenEnergy,
  kTallyZLow,  // sums to which few work items add: protons and MeV lost at low and at high ends
  kTallyZLowEnergy,
  kTallyZHigh,
  kTallyZHighEnergy,
  kTallyThetaLow,
  kTallyThetaLowEnergy,
  kTallyThetaHigh,
  kTallyThetaHighEnergy,
};
static_assert(kTallied == 8 && kTallyThetaHighEnergy < kWindowTallies);

/// Adds protons of a warp that leave at the two ends of an axis to the sums of that warp. `low` is the sum of the lower
/// end.
__device__ inline void tally_escapes(double* sums, WindowTally low, double below, double above, double energy_each) {
  if (!__any_sync(kWholeWarp, below != 0.0 || above != 0.0)) return;
  below = warp_sum(below);
  above = warp_sum(above);
  if ((threadIdx.x & 31) != 0) return;
  sums[low] += below;
  sums[low + 1] += below * energy_each;
  sums[low + 2] += above;
  sums[low + 3] += above * energy_each;
}

/// Loads from the L2 cache, because other blocks write the state while this one runs.
__device__ inline Quad<float> load_quad(const float* from) {
  const float4 v = __ldcg(reinterpret_cast<const float4*>(from));
  return {{v.x, v.y, v.z, v.w}};
}
__device__ inline Quad<double> load_quad(const double* from) {
  const double2 low = __ldcg(reinterpret_cast<const double2*>(from));
  const double2 high = __ldcg(reinterpret_cast<const double2*>(from) + 1);
  return {{low.x, low.y, high.x, high.y}};
}
__device__ inline void store_quad(float* to, const Quad<float>& q) {
  __stcg(reinterpret_cast<float4*>(to), float4{q.v[0], q.v[1], q.v[2], q.v[3]});
}
__device__ inline void store_quad(double* to, const Quad<double>& q) {
  __stcg(reinterpret_cast<double2*>(to), double2{q.v[0], q.v[1]});
  __stcg(reinterpret_cast<double2*>(to) + 1, double2{q.v[2], q.v[3]});
}

__device__ inline int floor_quads(int x) { return x & ~3; }
__device__ inline int ceil_quads(int x) { return (x + 3) & ~3; }

/// a / b rounded down, and up, for 0 <= a < 2^20. After 0.5 is added to a, the quotient is farther from a whole number
/// than its rounding error.
__device__ inline int divide(int a, int b) {
  return static_cast<int>(__fdividef(static_cast<float>(a) + 0.5f, static_cast<float>(b)));
}
__device__ inline int divide_up(int a, int b) { return divide(a + b - 1, b); }

__device__ inline bool is_empty(const WindowBox& b) { return b.a0 >= b.a1; }
__device__ inline WindowBox empty_box() { return {1 << 30, -1, 1 << 30, -1, 1 << 30, -1, {}}; }

/// First element of row z of a bin in the state.
template <typename T>
__device__ inline unsigned long long row_start(const WindowParameters<T>& p, int bin, int z) {
  return (static_cast<unsigned long long>(bin) * p.rows + (z & p.row_mask)) * p.tables.ntheta * p.pitch;
}

/// Bounds of a thread's cells above the threshold.
struct Extent {
  int z0 = 1 << 30, z1 = -1, a0 = 1 << 30, a1 = -1, x0 = 1 << 30, x1 = -1;

  /// Adds four columns from x on, a multiple of four.
  __device__ void add(int z, int a, int x) {
    z0 = min(z0, z);
    z1 = max(z1, z + 1);
    a0 = min(a0, a);
    a1 = max(a1, a + 1);
    x0 = min(x0, x);
    x1 = max(x1, x + 4);
  }

  /// Widens the block's extent in shared memory. Every thread of the warp must call this.
  __device__ void publish(int (&to)[6]) const {
    const int high_z = __reduce_max_sync(kWholeWarp, z1);
    if (high_z <= 0) return;
    const int low_z = __reduce_min_sync(kWholeWarp, z0);
    const int low_a = __reduce_min_sync(kWholeWarp, a0), high_a = __reduce_max_sync(kWholeWarp, a1);
    const int low_x = __reduce_min_sync(kWholeWarp, x0), high_x = __reduce_max_sync(kWholeWarp, x1);
    if ((threadIdx.x & 31) != 0) return;
    atomicMin(&to[0], low_z);
    atomicMax(&to[1], high_z);
    atomicMin(&to[2], low_a);
    atomicMax(&to[3], high_a);
    atomicMin(&to[4], low_x);
    atomicMax(&to[5], high_x);
  }
};

/// Partition of a bin's work in a step. All content is within its rows, and its parts cover all angles and columns that
/// content may reach.
struct alignas(16) BinPlan {
  short z0;                    // first row of the first pass
  short likely_z0, likely_z1;  // rows that will have content; other rows may
  short out_z0;                // first row of the second pass
  short chunks, rest_chunks;   // parts of the angles in the first pass, per likely row and per other row
  short tiles;                 // parts of the columns in the first pass
  short row_blocks;            // parts of angles and columns in the second pass, per kWindowRows rows
};

/// A unit of work of the block.
struct Item {
  int bin;               // -1: no work
  int last;              // 1: last item of the pass
  int a0, a1;            // angles to compute
  int x0;                // first column to compute: a multiple of four, also outside the grid, where losses are counted
  int quads;             // quads of columns to compute
  int z;                 // first pass: the row; second pass: first row to compute
  int z0, z1;            // second pass: rows with content
  int out_z1;            // second pass: end of the rows to compute
  int column;            // second pass: quads of columns before this item's
  int from_a0, from_a1;  // first pass: angles at which sources have content
  int sources, own_source;  // length of the list of views, and index of the bin itself in it
};

/// Pointers into a block's shared memory.
template <typename T>
struct SharedPointers {
  __device__ SharedPointers(const WindowParameters<T>& p, unsigned char* base, int of_team, int in_team)
      : block(of_team),
        blocks(in_team),
        boxes(reinterpret_cast<short*>(base + p.layout.boxes)),
        bins(reinterpret_cast<WindowBin*>(base + p.layout.bins)),
        feeds(p.layout.feeds_held != 0 ? reinterpret_cast<const int*>(base + p.layout.feeds) : p.feed_bin),
        plans(reinterpret_cast<BinPlan*>(base + p.layout.plans)),
        collide_begin(reinterpret_cast<int*>(base + p.layout.begins)),
        rest_begin(collide_begin + p.tables.ne + 1),
        stream_begin(rest_begin + p.tables.ne + 1),
        angles(reinterpret_cast<WindowAngle<T>*>(base + p.layout.angles)),
        row_material(reinterpret_cast<short*>(base + p.layout.rows)),
        views(reinterpret_cast<WindowSource<T>*>(base + p.layout.views)),
        sums(reinterpret_cast<double*>(base + p.layout.sums)),
        partial(reinterpret_cast<double*>(base + p.layout.partial)),
        own(reinterpret_cast<Quad<T>*>(base + p.layout.own)),
        tile(reinterpret_cast<Quad<T>*>(base + p.layout.tile)),
        turned(reinterpret_cast<Quad<T>*>(base + p.layout.turned)),
        deposits(reinterpret_cast<T*>(base + p.layout.deposits)),
        weights(reinterpret_cast<T*>(base + p.layout.weights)) {}

  int block, blocks;  // index of this block, and number of blocks of its team

  short* boxes;  // [ne][8]
  WindowBin* bins;
  const int* feeds;
  BinPlan* plans;  // plans of the bins in a step
  /// [ne + 1] items of earlier bins: in likely rows and in other rows of the first pass, and in the second pass.
  int *collide_begin, *rest_begin, *stream_begin;
  WindowAngle<T>* angles;
  short* row_material;
  WindowSource<T>* views;
  double* sums;     // [warp][kWindowTallies]
  double* partial;  // [4][thread]; one more for tracks if path lengths differ by angle, and one for recorded reactions
  Quad<T>*own, *tile, *turned;
  T *deposits, *weights;
};

/// Shared memory of fixed size. The planner prepares one of two items while the workers process the other.
struct FixedMemory {
  Item items[2];
  int extent[6];  // z0, z1, a0, a1, x0, x1 of an item's cells above the threshold
  int over;
  int step;        // step at which the run ended
  unsigned waits;  // number of times the team has waited so far
};

/// Waits at a named barrier. All threads of a warp must execute `bar.sync` together. Most callers have just left a loop
/// or a branch by lane, after which only __syncwarp() guarantees this.
template <int kBarrier, int kThreads>
__device__ inline void meet_at() {
  __syncwarp();
  asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "n"(kThreads) : "memory");
}

/// Barriers of the block's workers, and of all its threads. Planner and workers call them from different code, which
/// PTX allows for named barriers but CUDA forbids for __syncthreads().
__device__ inline void meet_workers() { meet_at<1, kWindowWorkers>(); }
__device__ inline void meet_all() { meet_at<2, kWindowThreads>(); }

/// Adds the content that a warp writes for an item. Every thread of the warp must call this.
template <typename T>
__device__ inline void tally_written(SharedPointers<T>& s, double written, double energy) {
  if (!__any_sync(kWholeWarp, written != 0.0)) return;
  written = warp_sum(written);
  if ((threadIdx.x & 31) != 0) return;
  double* sums = s.sums + (threadIdx.x >> 5) * kWindowTallies;
  sums[kTallyWritten] += written;
  sums[kTallyWrittenEnergy] += written * energy;
}

/// Publishes a written item, for which other blocks wait: its bin's next box includes the item, and its content counts
/// as in flight. All workers must call this.
template <typename T>
__device__ inline void publish_written(const WindowParameters<T>& p, SharedPointers<T>& s, FixedMemory& fixed, int bin,
                                       int step) {
  meet_workers();
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  if (warp == 0 && lane < 6) {
    const bool any = fixed.extent[1] > 0;
    const int value = fixed.extent[lane];
    __syncwarp(0x3f);
    fixed.extent[lane] = lane % 2 == 0 ? 1 << 30 : -1;
    int* to = &p.bounds[(step + 1) % 3][bin].z0 + lane;
    if (any && lane % 2 == 0) atomicMin(to, value);
    if (any && lane % 2 != 0) atomicMax(to, value);
  }
  if (warp == 1) {
    double* const kept = s.sums + lane * kWindowTallies + kTallyWritten;
    double sum = lane < kWarps ? *kept : 0.0;
    if (lane < kWarps) *kept = 0.0;
    sum = warp_sum(sum);
    if (lane == 0 && sum != 0.0) atomicAdd(p.written + 2 * static_cast<long long>(step + 1), sum);
  }
}

/// Signals that the block has reached a wait. Writes of its threads before the last barrier are visible to waiting
/// blocks.
__device__ inline void arrive(WindowControl* control) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&control->arrived) : "memory");
}

/// Waits until all `blocks` have arrived `times` times since the launch. Later loads must read their data past the L1
/// cache (__ldcg): an acquire would invalidate that cache, with the tables, on every poll.
__device__ inline void wait_for_all(WindowControl* control, unsigned times, int blocks) {
  const unsigned wanted = times * static_cast<unsigned>(blocks);
  unsigned arrived;
  do {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(&control->arrived) : "memory");
  } while (arrived < wanted);
}

}  // namespace bb::transport::window
