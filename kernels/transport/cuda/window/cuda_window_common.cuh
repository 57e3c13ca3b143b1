#pragma once

#include "cuda_window.hpp"
#include "transport/cuda/cuda_common.cuh"
#include "transport/cuda/cuda_quad.cuh"
#include "transport/model/filled_value.hpp"

// Helpers shared by the parts of the window's kernel.
namespace bb::transport::window {

using physics::kRemapTaps;

inline constexpr int kWarps = kWindowWorkers / 32;

/// Sums that the threads of a step keep, one slot each.
enum WindowTally {
  kTallyNumber,
  kTallyStopped,
  kTallyNuclear,
  kTallyNuclearEnergy,
  kTallyXLow,
  kTallyXHigh,
  kTallyWritten,
  kTallyDeposited,
  kTallied,                       // so many are added by every item of the first pass
  kTallyNumberEnergy = kTallied,  // from here on what some of them carry, MeV,
  kTallyXLowEnergy,
  kTallyXHighEnergy,
  kTallyWrittenEnergy,
  kTallyZLow,  // and what few items lose: protons and MeV, at low and at high ends
  kTallyZLowEnergy,
  kTallyZHigh,
  kTallyZHighEnergy,
  kTallyThetaLow,
  kTallyThetaLowEnergy,
  kTallyThetaHigh,
  kTallyThetaHighEnergy,
};
static_assert(kTallied == 8 && kTallyThetaHighEnergy < kWindowTallies);

/// Adds what the threads of a warp lost at the two ends of an axis to its row of sums, from `low` on.
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

/// From the second-level cache: other blocks write the state while this one runs.
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

/// a / b rounded down, and up, for 0 <= a < 2^20: the quotient with a half added is further from a whole number than
/// its error.
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

/// Extent of the cells above the threshold that a thread saw, as z0, z1, a0, a1, x0, x1.
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

  /// Widens the block's extent in shared memory. Every thread of the warp calls it.
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

/// Partition of the work of a bin in a step. Nothing of it lies outside these rows, and no more angles and columns come
/// than these parts can hold.
struct alignas(16) BinPlan {
  short z0;                    // first row of the first pass
  short likely_z0, likely_z1;  // its rows that will hold something; the others may
  short out_z0;                // first row of the second pass
  short chunks, rest_chunks;   // parts of the angles in the first pass, per likely row and per other row,
  short tiles;                 // and of the columns
  short row_blocks;            // parts of angles and columns of the second, per kWindowRows rows
};

/// Next action of the block.
struct Item {
  int bin;     // -1: nothing
  int last;    // 1: of the pass
  int a0, a1;  // angles made
  int x0;      // columns made, from a multiple of four that may lie outside the grid, where what leaves is counted,
  int quads;   // and how many fours of them
  int z;       // first pass: the row; second: the first row made
  int z0, z1;  // second pass: rows that hold something
  int out_z1;  // and the end of those made
  int column;  // second pass: fours of columns before the block's
  int from_a0, from_a1;     // first pass: angles that sources hold
  int sources, own_source;  // of the list of views
};

/// The block's shared memory.
template <typename T>
struct Shared {
  __device__ Shared(const WindowParameters<T>& p, unsigned char* base, int of_team, int in_team)
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

  int block, blocks;  // this one, of those that take the steps together

  short* boxes;  // [ne][8]
  WindowBin* bins;
  const int* feeds;
  BinPlan* plans;                                  // of the bins that a step makes
  int *collide_begin, *rest_begin, *stream_begin;  // [ne + 1] items of the bins before: of the first pass in likely
                                                   // rows and in others, and of the second
  WindowAngle<T>* angles;
  short* row_material;
  WindowSource<T>* views;
  double* sums;     // [warp][kWindowTallies]
  double* partial;  // [4][thread]; one more if ways differ and tracks are scored, one if reactions are recorded
  Quad<T>*own, *tile, *turned;
  T *deposits, *weights;
};

/// The rest of it, of fixed size. Of two items the planner has one in hand while the workers are at the other.
struct Fixed {
  Item items[2];
  int extent[6];  // z0, z1, a0, a1, x0, x1 of what an item wrote above the threshold
  int over;
  int step;        // at which the steps ended
  unsigned waits;  // of the team so far
};

/// The block's threads meet: the workers alone, and all. By barriers of their own: planner and workers come from different
/// places of the code, which __syncthreads() does not allow.
__device__ inline void meet_workers() { asm volatile("bar.sync 1, %0;" ::"n"(kWindowWorkers) : "memory"); }
__device__ inline void meet_all() { asm volatile("bar.sync 2, %0;" ::"n"(kWindowThreads) : "memory"); }

/// A warp's share of what an item writes. Every thread of the warp calls it.
template <typename T>
__device__ inline void keep_written(Shared<T>& s, double written, double energy) {
  if (!__any_sync(kWholeWarp, written != 0.0)) return;
  written = warp_sum(written);
  if ((threadIdx.x & 31) != 0) return;
  double* sums = s.sums + (threadIdx.x >> 5) * kWindowTallies;
  sums[kTallyWritten] += written;
  sums[kTallyWrittenEnergy] += written * energy;
}

/// Marks a written item, for which others wait: its bin's next box includes it, and it counts as in flight. All workers
/// call it.
template <typename T>
__device__ inline void send_written(const WindowParameters<T>& p, Shared<T>& s, Fixed& fixed, int bin, int step) {
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

/// The block has come to a wait: what its threads wrote before they met is seen by who waits.
__device__ inline void arrive(WindowControl* control) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&control->arrived) : "memory");
}

/// Waits until all `blocks` have come `times` times since the launch. What they wrote is read past the first-level
/// cache (__ldcg) by loads that are issued behind this one: to acquire it would empty that cache of the tables, at every
/// look.
__device__ inline void wait_for_all(WindowControl* control, unsigned times, int blocks) {
  const unsigned wanted = times * static_cast<unsigned>(blocks);
  unsigned arrived;
  do {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(&control->arrived) : "memory");
  } while (arrived < wanted);
}

}  // namespace bb::transport::window
