// Row 9 of the table of performance claims: prefix sums, out[i] = in[0] + … + in[i]. Scans blocks, then the sums of the
// blocks, and adds the scanned sums to the blocks.
#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr unsigned kScanThreads = 1024;

/// Scan of a block in shared memory: in step s each thread adds the value at distance s before it (Hillis and Steele).
extern "C" __global__ void __launch_bounds__(kScanThreads)
    micro_scan_shared(unsigned n, const float* __restrict__ in, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float values[2][kScanThreads];
  const unsigned t = threadIdx.x, i = global_thread();
  int now = 0;
  values[now][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < kScanThreads; s *= 2) {
    values[1 - now][t] = values[now][t] + (t >= s ? values[now][t - s] : 0);
    now = 1 - now;
    __syncthreads();
  }
  if (i < n) out[i] = values[now][t];
  if (t == kScanThreads - 1) sums[blockIdx.x] = values[now][t];
}

__device__ inline float warp_scan(float value) {
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) {
    const float before = __shfl_up_sync(kWholeWarp, value, s);
    if (threadIdx.x % 32 >= s) value += before;
  }
  return value;
}

/// Scan of a block by shuffles: within warps, then over the warps' sums.
extern "C" __global__ void __launch_bounds__(kScanThreads)
    micro_scan_shuffle(unsigned n, const float* __restrict__ in, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float parts[32];
  const unsigned t = threadIdx.x, i = global_thread();
  float value = warp_scan(i < n ? in[i] : 0);
  if (t % 32 == 31) parts[t / 32] = value;
  __syncthreads();
  if (t < 32) parts[t] = warp_scan(parts[t]);
  __syncthreads();
  if (t >= 32) value += parts[t / 32 - 1];
  if (i < n) out[i] = value;
  if (t == kScanThreads - 1) sums[blockIdx.x] = value;
}

/// Adds to each block the prefix sum of the blocks before it.
extern "C" __global__ void __launch_bounds__(kScanThreads)
    micro_scan_add(unsigned n, const float* __restrict__ sums, float* __restrict__ out) {
  const unsigned i = global_thread();
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

}  // namespace bb::micro
