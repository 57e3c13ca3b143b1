// Row 10 of the table of performance claims, and the key grouping of row 9: out[key] += weight, with frequent or rare
// collisions of keys.
#include "micro/row/common.cuh"

namespace bb::micro {

/// One atomic per value, in global memory.
template <typename T>
__device__ void histogram_global(unsigned n, const unsigned* __restrict__ keys, const T* __restrict__ weights, T* out) {
  for (unsigned i = global_thread(); i < n; i += all_threads()) atomicAdd(out + keys[i], weights[i]);
}

/// Lanes with the same key (__match_any_sync) sum first: one atomic per key and warp.
template <typename T>
__device__ void histogram_warp(unsigned n, const unsigned* __restrict__ keys, const T* __restrict__ weights, T* out) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned first = global_thread() - lane; first < n; first += all_threads()) {
    const unsigned i = first + lane;
    const bool mine = i < n;
    const unsigned present = __ballot_sync(kWholeWarp, mine);
    if (!mine) continue;  // only beyond the end of the data
    const unsigned key = keys[i];
    const T weight = weights[i];
    const unsigned peers = __match_any_sync(present, key);
    // Every lane sums over the members of its group; the lowest lane of each group adds the result.
    T sum = 0;
    for (unsigned left = peers; left != 0; left &= left - 1) sum += __shfl_sync(peers, weight, __ffs(left) - 1);
    if (lane == static_cast<unsigned>(__ffs(peers)) - 1) atomicAdd(out + key, sum);
  }
}

/// One histogram per block in shared memory (bins * sizeof(T) bytes), which is added to the result once.
template <typename T>
__device__ void histogram_shared(unsigned n, unsigned bins, const unsigned* __restrict__ keys,
                                 const T* __restrict__ weights, T* out) {
  extern __shared__ double histogram_bytes[];
  T* mine = reinterpret_cast<T*>(histogram_bytes);
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (unsigned i = global_thread(); i < n; i += all_threads()) atomicAdd(mine + keys[i], weights[i]);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) {
    if (mine[b] != T(0)) atomicAdd(out + b, mine[b]);
  }
}

/// For sorted values: one warp per bin sums weights[begin[bin]] … weights[begin[bin + 1] - 1]. No atomics, so every run
/// gives the same sum.
template <typename T>
__device__ void histogram_segments(unsigned bins, const unsigned* __restrict__ begin, const T* __restrict__ weights,
                                   T* __restrict__ out) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned b = global_thread() / 32; b < bins; b += all_threads() / 32) {
    T sum = 0;
    for (unsigned i = begin[b] + lane; i < begin[b + 1]; i += 32) sum += weights[i];
    sum = warp_sum(sum);
    if (lane == 0) out[b] = sum;
  }
}

#define BB_HISTOGRAM_KERNELS(name, T)                                                                            \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      micro_histogram_global_##name(unsigned n, const unsigned* keys, const T* weights, T* out) {                \
    histogram_global(n, keys, weights, out);                                                                     \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      micro_histogram_warp_##name(unsigned n, const unsigned* keys, const T* weights, T* out) {                  \
    histogram_warp(n, keys, weights, out);                                                                       \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      micro_histogram_shared_##name(unsigned n, unsigned bins, const unsigned* keys, const T* weights, T* out) { \
    histogram_shared(n, bins, keys, weights, out);                                                               \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      micro_histogram_segments_##name(unsigned bins, const unsigned* begin, const T* weights, T* out) {          \
    histogram_segments(bins, begin, weights, out);                                                               \
  }
BB_HISTOGRAM_KERNELS(int, unsigned)
BB_HISTOGRAM_KERNELS(fp32, float)
BB_HISTOGRAM_KERNELS(fp64, double)
#undef BB_HISTOGRAM_KERNELS

}  // namespace bb::micro
