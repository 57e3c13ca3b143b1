// Row 9 of the table of performance claims: the sum of n values. Each kernel writes one sum per block to `out` (or adds
// to out[0]). The host launches it again on these sums until one is left.
#include "micro/row/common.cuh"
#include "tuning/tunable.hpp"

namespace bb::micro {

BB_TUNABLE(unsigned, kReduceThreads, 256);

/// Reduction tree as in a published CUDA-Python note: step s adds the element at distance s in every (2 s)-th thread.
/// The lanes of a warp diverge in every step.
extern "C" __global__ void __launch_bounds__(kReduceThreads)
    micro_reduce_interleaved(unsigned n, const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float sums[kReduceThreads];
  const unsigned t = threadIdx.x, i = global_thread();
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < kReduceThreads; s *= 2) {
    if (t % (2 * s) == 0) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

/// The first half of the threads adds the values of the second half. Complete warps become idle, and there are no bank
/// conflicts.
extern "C" __global__ void __launch_bounds__(kReduceThreads)
    micro_reduce_sequential(unsigned n, const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float sums[kReduceThreads];
  const unsigned t = threadIdx.x, i = global_thread();
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = kReduceThreads / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

/// Sum of the block's values, returned in thread 0: shuffles within warps, one word of shared memory per warp.
__device__ inline float block_sum(float value) {
  __shared__ float parts[kReduceThreads / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  return warp_sum(threadIdx.x < kReduceThreads / 32 ? parts[threadIdx.x] : 0.0f);
}

extern "C" __global__ void __launch_bounds__(kReduceThreads)
    micro_reduce_shuffle(unsigned n, const float* __restrict__ in, float* __restrict__ out) {
  const unsigned i = global_thread();
  const float sum = block_sum(i < n ? in[i] : 0);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// Adds several values per thread first: a grid that stays resident loops over the array.
extern "C" __global__ void __launch_bounds__(kReduceThreads)
    micro_reduce_grid_stride(unsigned n, const float* __restrict__ in, float* __restrict__ out) {
  float mine[4] = {};
  const unsigned stride = all_threads();
  unsigned i = global_thread();
  for (; i + 3ull * stride < n; i += 4 * stride) {
#pragma unroll
    for (unsigned u = 0; u < 4; ++u) mine[u] += in[i + u * stride];
  }
  for (; i < n; i += stride) mine[0] += in[i];
  const float sum = block_sum((mine[0] + mine[1]) + (mine[2] + mine[3]));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/// One atomic addition per value, all to one word.
extern "C" __global__ void __launch_bounds__(kReduceThreads)
    micro_reduce_atomics(unsigned n, const float* __restrict__ in, float* out) {
  const unsigned i = global_thread();
  if (i < n) atomicAdd(out, in[i]);
}

/// One atomic addition per warp.
extern "C" __global__ void __launch_bounds__(kReduceThreads)
    micro_reduce_warp_atomics(unsigned n, const float* __restrict__ in, float* out) {
  const unsigned i = global_thread();
  const float sum = warp_sum(i < n ? in[i] : 0);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

}  // namespace bb::micro
