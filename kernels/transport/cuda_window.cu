#include "cuda_window_collide.cuh"
#include "cuda_window_state.cuh"
#include "cuda_window_stream.cuh"

// Entry points of the moving window, with path stepping and with depth stepping.
namespace bb::transport::window {

/// What every step needs comes into shared memory once.
template <typename T>
__device__ void hold_tables(const WindowParameters<T>& p, Shared<T>& s, Fixed& fixed) {
  const DeviceTables<T>& t = p.tables;
  for (int i = threadIdx.x; i < t.ne; i += kWindowThreads) s.bins[i] = p.bins[i];
  if (p.layout.feeds_held != 0) {
    int* feeds = const_cast<int*>(s.feeds);
    for (int i = threadIdx.x; i < p.feeds; i += kWindowThreads) feeds[i] = p.feed_bin[i];
  }
  for (int i = threadIdx.x; i < t.ntheta; i += kWindowThreads) s.angles[i] = p.angles[i];
  for (int i = threadIdx.x; i < t.nz; i += kWindowThreads) s.row_material[i] = p.row_material[i];
  for (int i = threadIdx.x; i < kWarps * kWindowTallies; i += kWindowThreads) s.sums[i] = 0.0;
  if (threadIdx.x < 2) {
    fixed.holding[threadIdx.x][0] = t.ne;
    fixed.holding[threadIdx.x][1] = 0;
  }
  if (threadIdx.x < 6) fixed.extent[threadIdx.x] = threadIdx.x % 2 == 0 ? 1 << 30 : -1;
}

/// Brings the boxes before step `step` into shared memory, empties those of the step after the next, and sees whether
/// the run is over.
template <typename T>
__device__ void take_boxes(const WindowParameters<T>& p, Shared<T>& s, Fixed& fixed, int step) {
  int first = p.tables.ne, last = 0;  // that hold something
  const WindowBox* now = p.bounds[step % 3];
  WindowBox* later = p.bounds[(step + 2) % 3];
  for (int bin = threadIdx.x; bin < p.tables.ne; bin += kWindowThreads) {
    const int4 low = __ldcg(reinterpret_cast<const int4*>(now + bin));
    const int2 high = __ldcg(reinterpret_cast<const int2*>(now + bin) + 2);
    const bool empty = low.z >= low.w;
    const auto pack = [&](int begin, int end) {
      return empty ? kEmptyLow | 0xffff0000u : static_cast<unsigned>(begin) | static_cast<unsigned>(end) << 16;
    };
    reinterpret_cast<uint4*>(s.boxes)[bin] = {pack(low.x, low.y), pack(low.z, low.w), pack(high.x, high.y), 0u};
    if (blockIdx.x == 0) later[bin] = empty_box();
    if (empty) continue;
    first = min(first, bin);
    last = bin + 1;
  }
  __syncwarp();
  first = __reduce_min_sync(kWholeWarp, first);
  last = __reduce_max_sync(kWholeWarp, last);
  if ((threadIdx.x & 31) == 0 && last > 0) {
    atomicMin(&fixed.holding[step & 1][0], first);
    atomicMax(&fixed.holding[step & 1][1], last);
  }
  if (threadIdx.x == kWindowThreads - 1) {
    fixed.over = step > 0 && __ldcg(p.written + 2 * static_cast<long long>(step)) <= p.stop_number ? 1 : 0;
  }
}

/// What step `step` did not find inside the bounds of what the one before wrote was cut from the window.
template <typename T>
__device__ void close_step(const WindowParameters<T>& p, int step) {
  if (step < 1) return;
  double* ledger = ledger_row(p.scores, step);
  const double* written = p.written + 2 * static_cast<long long>(step);
  ledger[kSkipped] = __ldcg(written) - __ldcg(ledger + kInFlight);
  ledger[kEnergySkipped] = __ldcg(written + 1) - __ldcg(ledger + kEnergyInFlight);
}

/// Where WindowTally goes: a LedgerColumn, or -1 - place in the row of `written`.
__constant__ const signed char kColumnOfTally[] = {
    kInFlight,       kStopped, kNuclear,   kEnergyNuclear,  kEscapedTheta,
    kEscapedX,       -1,       kDeposited, kEnergyInFlight, kEnergyEscapedTheta,
    kEnergyEscapedX, -2,       kEscapedZ,  kEnergyEscapedZ};

/// The block's share of a step goes to the ledger.
template <typename T>
__device__ void report(const WindowParameters<T>& p, Shared<T>& s, int step) {
  __syncthreads();
  const int slot = threadIdx.x;
  if (slot > kTallyZEnergy) return;
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

template <typename T, bool kDepth>
__device__ void run_steps(const WindowParameters<T>& p, unsigned char* memory) {
  __shared__ Fixed fixed;
  Shared<T> s(p, memory);
  const DeviceTables<T>& t = p.tables;
  const int first = p.control->step;
  const int limit = p.control->limit;
  if (first >= limit) return;
  hold_tables(p, s, fixed);
  __syncthreads();
  float lowest = 0, highest = 0;
  unsigned waits = 0;
  int step = first;
  for (; step < limit; ++step) {
    take_boxes(p, s, fixed, step);
    if (step > first && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) close_step(p, step - 1);
    __syncthreads();
    if (fixed.over != 0) break;
    if (threadIdx.x < 32) plan_step<T, kDepth>(p, s, fixed, step);
    __syncthreads();
    if (threadIdx.x == 0) {
      fixed.holding[step & 1][0] = t.ne;
      fixed.holding[step & 1][1] = 0;
    }
    const int collides = fixed.collides;
    for (int item = blockIdx.x; item < collides; item += gridDim.x) {
      Collide<T, kDepth>(p, s, fixed, step).run(item, lowest, highest);
    }
    if constexpr (!kDepth) {
      wait_for_all(p.control, ++waits);
      const int streams = fixed.streams;
      for (int item = blockIdx.x; item < streams; item += gridDim.x) {
        stream_item(p, s, fixed, step, item, lowest, highest);
      }
    }
    report(p, s, step);
    wait_for_all(p.control, ++waits);
  }
  if (step == limit && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) close_step(p, step - 1);
  if (blockIdx.x == 0 && threadIdx.x == 0) p.control->step = step;
  lowest = warp_max(lowest);
  highest = warp_max(highest);
  if ((threadIdx.x & 31) == 0) {
    raise(p.scores.extremes, lowest);
    raise(p.scores.extremes + 1, highest);
  }
}

}  // namespace bb::transport::window

#define BB_WINDOW_ENTRY(name, T, depth)                                                                            \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads, 512 / bb::transport::kWindowThreads) \
      transport_window_##name(const __grid_constant__ bb::transport::WindowParameters<T> p) {                      \
    extern __shared__ double2 window_shared[];                                                                     \
    bb::transport::window::run_steps<T, depth>(p, reinterpret_cast<unsigned char*>(window_shared));                \
  }

BB_WINDOW_ENTRY(path_f32, float, false)
BB_WINDOW_ENTRY(path_f64, double, false)
BB_WINDOW_ENTRY(depth_f32, float, true)
BB_WINDOW_ENTRY(depth_f64, double, true)

#define BB_WINDOW_STATE_ENTRY(name, T)                                                                             \
  extern "C" __global__ void transport_window_begin_##name(                                                        \
      const __grid_constant__ bb::transport::WindowParameters<T> p, const int limit) {                             \
    p.control->limit = limit;                                                                                      \
    p.control->arrived = 0;                                                                                        \
  }                                                                                                                \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads) transport_window_fill_##name(        \
      const __grid_constant__ bb::transport::WindowParameters<T> p, const unsigned long long seed) {               \
    bb::transport::window::fill_bin<T>(p, seed, static_cast<int>(blockIdx.x));                                     \
  }                                                                                                                \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads)                                      \
      transport_window_count_##name(const __grid_constant__ bb::transport::WindowParameters<T> p, double* row) {   \
    bb::transport::window::count_bin<T>(p, row, static_cast<int>(blockIdx.x));                                     \
  }                                                                                                                \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads)                                      \
      transport_window_leave_##name(const __grid_constant__ bb::transport::WindowParameters<T> p, double* row) {   \
    bb::transport::window::leave_with_bin<T>(p, row, static_cast<int>(blockIdx.x));                                \
  }                                                                                                                \
  extern "C" __global__ void __launch_bounds__(bb::transport::kWindowThreads) transport_window_marginals_##name(   \
      const __grid_constant__ bb::transport::WindowParameters<T> p, const bb::transport::DeviceMarginals fields) { \
    bb::transport::window::marginals_of_bin<T>(p, fields, static_cast<int>(blockIdx.x));                           \
  }

BB_WINDOW_STATE_ENTRY(f32, float)
BB_WINDOW_STATE_ENTRY(f64, double)
