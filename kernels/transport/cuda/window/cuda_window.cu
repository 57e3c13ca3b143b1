#include "cuda_window_beams.cuh"
#include "cuda_window_collide.cuh"
#include "cuda_window_items.cuh"
#include "cuda_window_state.cuh"
#include "cuda_window_stream.cuh"

// Kernels of the moving window, for path stepping and for depth stepping.
namespace bb::transport::window {

/// Copies data that every step needs to shared memory once.
template <typename T>
__device__ void copy_tables_to_shared(const WindowParameters<T>& p, SharedPointers<T>& s, FixedMemory& fixed) {
  const DeviceTables<T>& t = p.tables;
  for (int i = threadIdx.x; i < t.ne; i += kWindowThreads) s.bins[i] = p.bins[i];
  if (p.layout.feeds_held != 0) {
    int* feeds = const_cast<int*>(s.feeds);
    for (int i = threadIdx.x; i < p.feeds; i += kWindowThreads) feeds[i] = p.feed_bin[i];
  }
  for (int i = threadIdx.x; i < t.ntheta; i += kWindowThreads) s.angles[i] = p.angles[i];
  for (int i = threadIdx.x; i < t.nz; i += kWindowThreads) s.row_material[i] = p.row_material[i];
  for (int i = threadIdx.x; i < kWarps * kWindowTallies; i += kWindowThreads) s.sums[i] = 0.0;
  if (threadIdx.x < 6) fixed.extent[threadIdx.x] = threadIdx.x % 2 == 0 ? 1 << 30 : -1;
}

/// Counts as skipped the content that the previous step wrote outside the window's bounds, so that step `step` does not
/// contain it.
template <typename T>
__device__ void close_step(const WindowParameters<T>& p, int step) {
  if (step < 1) return;
  double* ledger = ledger_row(p.scores, step);
  const double* written = p.written + 2 * static_cast<long long>(step);
  ledger[kSkipped] = __ldcg(written) - __ldcg(ledger + kInFlight);
  ledger[kEnergySkipped] = __ldcg(written + 1) - __ldcg(ledger + kEnergyInFlight);
}

/// Destination of each WindowTally: a LedgerColumn, or -1 - n for column n of `written`.
__constant__ const signed char kColumnOfTally[] = {kInFlight,
                                                   kStopped,
                                                   kNuclear,
                                                   kEnergyNuclear,
                                                   escaped_column(kXLow),
                                                   escaped_column(kXHigh),
                                                   -1,
                                                   kDeposited,
                                                   kEnergyInFlight,
                                                   escaped_energy_column(kXLow),
                                                   escaped_energy_column(kXHigh),
                                                   -2,
                                                   escaped_column(kZLow),
                                                   escaped_energy_column(kZLow),
                                                   escaped_column(kZHigh),
                                                   escaped_energy_column(kZHigh),
                                                   escaped_column(kThetaLow),
                                                   escaped_energy_column(kThetaLow),
                                                   escaped_column(kThetaHigh),
                                                   escaped_energy_column(kThetaHigh)};
static_assert(sizeof(kColumnOfTally) == kTallyThetaHighEnergy + 1);

/// Adds the block's sums over a step to the ledger.
template <typename T>
__device__ void report(const WindowParameters<T>& p, SharedPointers<T>& s, int step) {
  meet_workers();
  const int slot = threadIdx.x;
  if (slot > kTallyThetaHighEnergy) return;
  double sum = 0;
  for (int w = 0; w < kWarps; ++w) {
    sum += s.sums[w * kWindowTallies + slot];
    s.sums[w * kWindowTallies + slot] = 0.0;
  }
  if (sum == 0.0) return;
  const int column = kColumnOfTally[slot];
  atomicAdd(column >= 0 ? ledger_row(p.scores, step) + column
                        : p.written + 2 * static_cast<long long>(step + 1) + (-1 - column),
            sum);
}

/// Code of the planning warp. It passes work items to the workers one by one, and arrives on behalf of its block at the
/// barrier of all blocks.
template <typename T, bool kDepth>
class Planner {
 public:
  __device__ Planner(const WindowParameters<T>& parameters, SharedPointers<T>& memory, FixedMemory& fixed_memory)
      : p(parameters), s(memory), fixed(fixed_memory) {}

  __device__ void run(int first, int limit) {
    StepPlan plan = plan_step<T, kDepth>(p, s, first, false, nullptr);
    unsigned waits = fixed.waits;
    int step = first;
    for (;; ++step) {
      UnclippedItem cut = collide_item(s, plan, s.block);
      Sources<T> sources(p, s, cut.bin);
      if (step > first) {
        meet_all();  // the previous step has been written
        if (lane == 0) arrive(p.control);
        wait_for_all(p.control, ++waits, s.blocks);
      }
      sources.fetch(step);
      const double held = __ldcg(p.written + 2 * static_cast<long long>(step));
      const bool over = step >= limit || (step > 0 && held <= p.stop_number);
      if (lane == 0) fixed.over = over ? 1 : 0;
      if (over) break;
      double cells = 0;
      const auto next_collide = [&](int item) { return collide_item(s, plan, item); };
      distribute_items(cut, sources, plan.collides + plan.rest, step, next_collide, [&](Sources<T>& from, Item& item) {
        WindowSource<T>* views = s.views + slot * p.layout.most_views;
        clip_collide<T, kDepth>(p, cut, from, s.bins[cut.bin].half, step, views, item, cells);
      });
      if constexpr (!kDepth) {
        cut = stream_item_of(s, plan, s.block);
        Sources<T> stream_sources(p, s, cut.bin);
        stream_sources.fetch(step);
        meet_all();  // the first pass has been written
        if (lane == 0) arrive(p.control);
        wait_for_all(p.control, ++waits, s.blocks);
        const auto next_stream = [&](int item) { return stream_item_of(s, plan, item); };
        distribute_items(cut, stream_sources, plan.streams, step, next_stream, [&](Sources<T>& from, Item& item) {
          clip_stream(p, cut, from, s.bins[cut.bin].half, step, item, cells);
        });
      }
      if (lane == 0 && cells > 0.0) atomicAdd(ledger_row(p.scores, step) + kCellsVisited, cells);
      // Data written by the workers before one barrier are visible to all blocks only after the next barrier.
      if (step > first + 1 && s.block == s.blocks - 1 && lane == 0) close_step(p, step - 2);
      plan = plan_step<T, kDepth>(p, s, step, true, &plan);
    }
    if (s.block == 0 && lane == 0) p.control->step = step;
    if (lane == 0) {
      fixed.step = step;
      fixed.waits = step == first ? waits : waits + 1;
    }
    __syncwarp();
    meet_all();
    if (step == first) return;
    if (lane == 0) arrive(p.control);
    if (s.block != s.blocks - 1) return;
    wait_for_all(p.control, ++waits, s.blocks);
    if (lane == 0 && step > first + 1) close_step(p, step - 2);
    if (lane == 0) close_step(p, step - 1);
  }

 private:
  /// Passes the block's items of a pass to the workers. While they process one item, the next is clipped.
  template <typename Next, typename Clip>
  __device__ void distribute_items(UnclippedItem& cut, Sources<T>& sources, int items, int step, Next&& next,
                                   Clip&& clip) {
    int at = s.block;
    for (bool more = true; more;) {
      Item item{};
      item.bin = -1;
      while (at < items && item.bin < 0) {
        if (at == s.block) {
          clip(sources, item);
        } else {
          Sources<T> others(p, s, cut.bin);
          others.fetch(step);
          clip(others, item);
        }
        at += s.blocks;
        if (at < items) cut = next(at);
      }
      more = at < items;
      item.last = more ? 0 : 1;
      if (lane == 0) fixed.items[slot] = item;
      __syncwarp();
      meet_all();
      slot ^= 1;
    }
  }

  const WindowParameters<T>& p;
  SharedPointers<T>& s;
  FixedMemory& fixed;
  int slot = 0;
  const int lane = threadIdx.x & 31;
};

/// Main loop of the worker threads, which compute the planner's items.
template <typename T, bool kDepth, typename Tracks>
__device__ void work(const WindowParameters<T>& p, const Tracks& tracks, SharedPointers<T>& s, FixedMemory& fixed,
                     int first) {
  float lowest = 0, highest = 0;
  int slot = 0;
  // `f` processes an item. After the last item of a pass, it calls meet_all() once it has written the data that other
  // blocks wait for.
  const auto each_item = [&](auto&& f) {
    for (bool last = false; !last; slot ^= 1) {
      meet_all();
      if (fixed.over != 0) return false;
      const Item& item = fixed.items[slot];
      last = item.last != 0;
      if (item.bin >= 0) {
        f(item, last);
      } else if (last) {
        meet_all();
      }
    }
    return true;
  };
  for (int step = first;; ++step) {
    const auto collide = [&](auto&& item, bool last) {
      item.run(lowest, highest);
      if (last) meet_all();
      item.add_scores();
    };
    const bool more = each_item([&](const Item& item, bool last) {
      if (s.row_material[kDepth ? p.start_z + step : item.z] >= 0) {
        collide(Collide<T, kDepth, false, Tracks>(p, tracks, s, fixed, slot, step), last);
      } else {
        collide(Collide<T, kDepth, true, Tracks>(p, tracks, s, fixed, slot, step), last);
      }
    });
    if (!more) break;
    if constexpr (!kDepth) {
      each_item([&](const Item&, bool last) {
        stream_item(p, s, fixed, slot, step, lowest, highest);
        if (last) meet_all();
      });
    }
    report(p, s, step);
  }
  lowest = warp_max(lowest);
  highest = warp_max(highest);
  if ((threadIdx.x & 31) == 0) {
    atomic_max(p.scores.extremes, lowest);
    atomic_max(p.scores.extremes + 1, highest);
  }
}

/// Takes steps `first` … `limit` - 1, or fewer if no protons are left. All threads of the team must call this.
template <typename T, bool kDepth, typename Tracks>
__device__ void run_steps(const WindowParameters<T>& p, const Tracks& tracks, SharedPointers<T>& s, FixedMemory& fixed,
                          int first, int limit) {
  copy_tables_to_shared(p, s, fixed);
  __syncthreads();
  if (threadIdx.x < kWindowWorkers) {
    work<T, kDepth>(p, tracks, s, fixed, first);
  } else {
    Planner<T, kDepth>(p, s, fixed).run(first, limit);
  }
}

/// Advances one beam with the whole grid of blocks.
template <typename T, bool kDepth, typename Tracks>
__device__ void run_beam(const WindowParameters<T>& p, const Tracks& tracks, unsigned char* memory) {
  __shared__ FixedMemory fixed;
  const int first = p.control->step;
  const int limit = p.control->limit;
  if (first >= limit) return;
  if (threadIdx.x == 0) fixed.waits = 0;
  SharedPointers<T> s(p, memory, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  run_steps<T, kDepth>(p, tracks, s, fixed, first, limit);
}

/// Each group of blocks takes the next unsolved beam and solves it, until none is left.
template <typename T, bool kDepth>
__device__ void run_beams(const WindowParameters<T>& common, const WindowBeams<T>& b, unsigned char* memory) {
  __shared__ FixedMemory fixed;
  __shared__ WindowParameters<T> mine;
  __shared__ int place;
  const int team = static_cast<int>(blockIdx.x) / b.team, teams = static_cast<int>(gridDim.x) / b.team;
  if (threadIdx.x == 0) {
    fixed.waits = 0;
    place = b.taken != nullptr ? acquire_storage(b) : team;
  }
  meet_all();
  SharedPointers<T> s(common, memory, static_cast<int>(blockIdx.x) - team * b.team, b.team);
  for (int beam = team; beam < b.beams; beam += teams) {
    begin_beam(common, b, place, beam, mine, s);
    meet_team(mine.control, s, fixed);
    run_steps<T, kDepth>(mine, NoTracks{}, s, fixed, 0, b.steps);
    meet_team(mine.control, s, fixed);
    end_beam<T, kDepth>(mine, s, fixed.step, b.steps);
    meet_team(mine.control, s, fixed);  // before the next beam reuses the team's memory
  }
  if (b.taken != nullptr && threadIdx.x == 0) release_storage(b, place);
}

}  // namespace bb::transport::window

// NVRTC compiles each line ..._ENTRY(...) separately when a run needs its kernel.
#define BB_WINDOW_ENTRY(name, T, depth)                                                         \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads, 1)                \
      transport_window_##name(const __grid_constant__ bb::transport::WindowParameters<T> p) {   \
    extern __shared__ double2 window_shared[];                                                  \
    bb::transport::window::run_beam<T, depth>(p, bb::transport::NoTracks{},                     \
                                              reinterpret_cast<unsigned char*>(window_shared)); \
  }
BB_WINDOW_ENTRY(path_f32, float, false)
BB_WINDOW_ENTRY(path_f64, double, false)
BB_WINDOW_ENTRY(depth_f32, float, true)
BB_WINDOW_ENTRY(depth_f64, double, true)

#define BB_WINDOW_TRACKS_ENTRY(name, T, depth)                                                             \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads, 1)                           \
      transport_window_tracks_##name(const __grid_constant__ bb::transport::WindowParameters<T> p,         \
                                     const __grid_constant__ bb::transport::DeviceTracks<T> tracks) {      \
    extern __shared__ double2 window_shared[];                                                             \
    bb::transport::window::run_beam<T, depth>(p, tracks, reinterpret_cast<unsigned char*>(window_shared)); \
  }
BB_WINDOW_TRACKS_ENTRY(path_f32, float, false)
BB_WINDOW_TRACKS_ENTRY(path_f64, double, false)
BB_WINDOW_TRACKS_ENTRY(depth_f32, float, true)
BB_WINDOW_TRACKS_ENTRY(depth_f64, double, true)

#define BB_WINDOW_BEAMS_ENTRY(name, T, depth)                                                          \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads, 1)                       \
      transport_window_beams_##name(const __grid_constant__ bb::transport::WindowParameters<T> p,      \
                                    const __grid_constant__ bb::transport::WindowBeams<T> b) {         \
    extern __shared__ double2 window_shared[];                                                         \
    bb::transport::window::run_beams<T, depth>(p, b, reinterpret_cast<unsigned char*>(window_shared)); \
  }
BB_WINDOW_BEAMS_ENTRY(path_f32, float, false)
BB_WINDOW_BEAMS_ENTRY(path_f64, double, false)
BB_WINDOW_BEAMS_ENTRY(depth_f32, float, true)
BB_WINDOW_BEAMS_ENTRY(depth_f64, double, true)

#define BB_WINDOW_STATE_ENTRY(name, T)                                                                           \
  extern "C" __global__ void transport_window_begin_##name(                                                      \
      const __grid_constant__ bb::transport::WindowParameters<T> p, const int limit) {                           \
    p.control->limit = limit;                                                                                    \
    p.control->arrived = 0;                                                                                      \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowWorkers) transport_window_fill_##name(      \
      const __grid_constant__ bb::transport::WindowParameters<T> p, const unsigned long long seed) {             \
    bb::transport::window::fill_bin<T>(p, seed, static_cast<int>(blockIdx.x));                                   \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowWorkers)                                    \
      transport_window_count_##name(const __grid_constant__ bb::transport::WindowParameters<T> p, double* row) { \
    bb::transport::window::count_bin<T>(p, row, static_cast<int>(blockIdx.x));                                   \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowWorkers)                                    \
      transport_window_leave_##name(const __grid_constant__ bb::transport::WindowParameters<T> p, double* row) { \
    bb::transport::window::leave_with_bin<T>(p, row, static_cast<int>(blockIdx.x));                              \
  }

BB_WINDOW_STATE_ENTRY(f32, float)
BB_WINDOW_STATE_ENTRY(f64, double)

/// Computes the crossing moments of the beams' fields, [beam][z][6].
extern "C" __global__ void __launch_bounds__(32)
    transport_window_moments(const double* fields, double* crossing, const int nx, const double dx) {
  bb::transport::window::add_moments(fields, crossing, nx, dx);
}
