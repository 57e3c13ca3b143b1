// Row 9 of the table of performance claims: the first value of a row that is above 1, with one warp per row: a search
// to the end, or until a vote finds a hit.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Whole warps loop over the rows: `find(values)` is called by all lanes of a warp.
template <typename Find>
__device__ void each_row(unsigned rows, unsigned length, const float* __restrict__ values, unsigned* __restrict__ first,
                         Find&& find) {
  for (unsigned row = global_thread() / 32; row < rows; row += all_threads() / 32) {
    const unsigned at = find(values + static_cast<unsigned long long>(row) * length);
    if (threadIdx.x % 32 == 0) first[row] = at;
  }
}

/// Reads the whole row: each lane remembers its first hit.
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

/// One vote per 32 values.
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

/// One vote per 128 values: four loads are in flight at once.
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

/// One thread per row, which stops independently of others: neighbouring threads read addresses that are a row apart.
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
