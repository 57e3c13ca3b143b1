// y = A x for a matrix that arrives as an unordered list of entries, a new one in each call.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr unsigned kBeginThreads = 1024;

/// Uses the list directly: one atomic addition per entry. `y` must be zero.
extern "C" __global__ void __launch_bounds__(256)
    micro_entries_add(unsigned entries, const unsigned* __restrict__ rows, const unsigned* __restrict__ columns,
                      const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
  for (unsigned i = global_thread(); i < entries; i += all_threads()) atomicAdd(y + rows[i], values[i] * x[columns[i]]);
}

/// Counts the entries of each row. `counts` must be zero.
extern "C" __global__ void __launch_bounds__(256)
    micro_entries_count(unsigned entries, const unsigned* __restrict__ rows, unsigned* __restrict__ counts) {
  for (unsigned i = global_thread(); i < entries; i += all_threads()) atomicAdd(counts + rows[i], 1u);
}

/// One block computes the first entry of each row, and begin[rows]. `next` is a copy that micro_entries_fill
/// increments.
extern "C" __global__ void __launch_bounds__(kBeginThreads)
    micro_entries_begin(unsigned rows, const unsigned* __restrict__ counts, unsigned* __restrict__ begin,
                        unsigned* __restrict__ next) {
  __shared__ unsigned warps[kBeginThreads / 32];
  __shared__ unsigned before;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) before = 0;
  __syncthreads();
  for (unsigned first = 0; first < rows; first += kBeginThreads) {
    const unsigned row = first + threadIdx.x;
    const unsigned own = row < rows ? counts[row] : 0;
    unsigned sum = own;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
      const unsigned other = __shfl_up_sync(kWholeWarp, sum, offset);
      if (lane >= offset) sum += other;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      unsigned all = warps[lane];
      for (unsigned offset = 1; offset < 32; offset *= 2) {
        const unsigned other = __shfl_up_sync(kWholeWarp, all, offset);
        if (lane >= offset) all += other;
      }
      warps[lane] = all;
    }
    __syncthreads();
    const unsigned start = before + (warp > 0 ? warps[warp - 1] : 0) + sum - own;
    if (row < rows) {
      begin[row] = start;
      next[row] = start;
    }
    __syncthreads();
    if (threadIdx.x == 0) before += warps[kBeginThreads / 32 - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) begin[rows] = before;
}

/// Moves entries to their rows, in any order within a row.
extern "C" __global__ void __launch_bounds__(256)
    micro_entries_fill(unsigned entries, const unsigned* __restrict__ rows, const unsigned* __restrict__ columns,
                       const float* __restrict__ values, unsigned* __restrict__ next, unsigned* __restrict__ to_columns,
                       float* __restrict__ to_values) {
  for (unsigned i = global_thread(); i < entries; i += all_threads()) {
    const unsigned at = atomicAdd(next + rows[i], 1u);
    to_columns[at] = columns[i];
    to_values[at] = values[i];
  }
}

}  // namespace bb::micro
