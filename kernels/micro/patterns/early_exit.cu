// Row 9: the first value of a row that is above 1, a warp a row: to its end, or until a vote says that there is one.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Whole warps walk over the rows: `find(values)` is called by all lanes of one.
template <typename Find>
__device__ void each_row(unsigned rows, unsigned length, const float* __restrict__ values, unsigned* __restrict__ first,
                         Find&& find) {
  for (unsigned row = global_thread() / 32; row < rows; row += all_threads() / 32) {
    const unsigned at = find(values + static_cast<unsigned long long>(row) * length);
    if (threadIdx.x % 32 == 0) first[row] = at;
  }
}

/// All of it: each lane keeps the first one that it saw.
extern "C" __global__ void __launch_bounds__(256)
    micro_exit_none(unsigned rows, unsigned length, const float* __restrict__ values, unsigned* __restrict__ first) {
  each_row(rows, length, values, first, [&](const float* row) {
    unsigned found = length;
    for (unsigned i = threadIdx.x % 32; i < length; i += 32) {
      if (row[i] > 1.0f) found = min(found, i);
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) found = min(found, __shfl_xor_sync(kWholeWarp, found, offset));
    return found;
  });
}

/// A vote for each 32 values.
extern "C" __global__ void __launch_bounds__(256)
    micro_exit_any(unsigned rows, unsigned length, const float* __restrict__ values, unsigned* __restrict__ first) {
  const unsigned lane = threadIdx.x % 32;
  each_row(rows, length, values, first, [&](const float* row) {
    for (unsigned base = 0; base < length; base += 32) {
      const bool hit = base + lane < length && row[base + lane] > 1.0f;
      if (__any_sync(kWholeWarp, hit)) return base + static_cast<unsigned>(__ffs(__ballot_sync(kWholeWarp, hit))) - 1;
    }
    return length;
  });
}

/// A vote for each 128 values: four loads are under way at once.
extern "C" __global__ void __launch_bounds__(256)
    micro_exit_all(unsigned rows, unsigned length, const float* __restrict__ values, unsigned* __restrict__ first) {
  constexpr unsigned kTogether = 4;
  const unsigned lane = threadIdx.x % 32;
  each_row(rows, length, values, first, [&](const float* row) {
    for (unsigned base = 0; base < length; base += 32 * kTogether) {
      bool hits[kTogether];
      bool none = true;
#pragma unroll
      for (unsigned k = 0; k < kTogether; ++k) {
        const unsigned i = base + 32 * k + lane;
        hits[k] = i < length && row[i] > 1.0f;
        none = none && !hits[k];
      }
      if (__all_sync(kWholeWarp, none)) continue;
#pragma unroll
      for (unsigned k = 0; k < kTogether; ++k) {
        const unsigned lanes = __ballot_sync(kWholeWarp, hits[k]);
        if (lanes != 0) return base + 32 * k + static_cast<unsigned>(__ffs(lanes)) - 1;
      }
    }
    return length;
  });
}

/// A thread a row, which stops by itself: its loads are a row apart from its neighbour's.
extern "C" __global__ void __launch_bounds__(256)
    micro_exit_thread(unsigned rows, unsigned length, const float* __restrict__ values, unsigned* __restrict__ first) {
  for (unsigned row = global_thread(); row < rows; row += all_threads()) {
    const float* mine = values + static_cast<unsigned long long>(row) * length;
    unsigned at = 0;
    while (at < length && !(mine[at] > 1.0f)) ++at;
    first[row] = at;
  }
}

}  // namespace bb::micro
