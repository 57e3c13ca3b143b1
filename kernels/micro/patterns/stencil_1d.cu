// Row 7 of the table of performance claims: out[i] = sum over k of taps[k] in[i + k - radius], zeros beyond the ends.
#include "stencil.cuh"
#include "tuning/tunable.hpp"

namespace bb::micro {

BB_TUNABLE(int, kStencilThreads, 256);
BB_TUNABLE(int, kWindow, 8);  // outputs per thread of the register window

/// L1 serves the neighbours and the taps.
extern "C" __global__ void __launch_bounds__(kStencilThreads)
    micro_stencil_naive(int n, int radius, const float* taps, const float* in, float* out) {
  const int i = static_cast<int>(global_thread());
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const int at = i + k;
    if (at >= 0 && at < n) sum = __fmaf_rn(taps[k + radius], in[at], sum);
  }
  out[i] = sum;
}

/// Like micro_stencil_naive, but with loads that are declared read-only.
extern "C" __global__ void __launch_bounds__(kStencilThreads)
    micro_stencil_read_only(int n, int radius, const float* __restrict__ taps, const float* __restrict__ in,
                            float* __restrict__ out) {
  const int i = static_cast<int>(global_thread());
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const int at = i + k;
    if (at >= 0 && at < n) sum = __fmaf_rn(__ldg(taps + k + radius), __ldg(in + at), sum);
  }
  out[i] = sum;
}

/// Taps are in constant memory, which broadcasts one word to a whole warp.
extern "C" __global__ void __launch_bounds__(kStencilThreads)
    micro_stencil_constant(int n, int radius, const float* __restrict__ in, float* __restrict__ out) {
  const int i = static_cast<int>(global_thread());
  if (i >= n) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const int at = i + k;
    if (at >= 0 && at < n) sum = __fmaf_rn(micro_taps[k + radius], __ldg(in + at), sum);
  }
  out[i] = sum;
}

/// Loads the block's values and a halo of `radius` on each side into shared memory once: (blockDim.x + 2 radius)
/// floats.
extern "C" __global__ void __launch_bounds__(kStencilThreads)
    micro_stencil_shared(int n, int radius, const float* __restrict__ in, float* __restrict__ out) {
  extern __shared__ float tile[];
  const int first = static_cast<int>(blockIdx.x * blockDim.x) - radius;
  const int width = static_cast<int>(blockDim.x) + 2 * radius;
  for (int j = static_cast<int>(threadIdx.x); j < width; j += static_cast<int>(blockDim.x)) {
    tile[j] = first + j >= 0 && first + j < n ? in[first + j] : 0;
  }
  __syncthreads();
  const int i = static_cast<int>(global_thread());
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum = __fmaf_rn(micro_taps[k], tile[threadIdx.x + k], sum);
  out[i] = sum;
}

/// Loads the tile by cp.async, without passing through registers.
extern "C" __global__ void __launch_bounds__(kStencilThreads)
    micro_stencil_async(int n, int radius, const float* __restrict__ in, float* __restrict__ out) {
  extern __shared__ float tile[];
  const int first = static_cast<int>(blockIdx.x * blockDim.x) - radius;
  const int width = static_cast<int>(blockDim.x) + 2 * radius;
  for (int j = static_cast<int>(threadIdx.x); j < width; j += static_cast<int>(blockDim.x)) {
    const int from = first + j;
    const bool inside = from >= 0 && from < n;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + j));
    // With a source size of 0 the word is filled with zeros and nothing is read.
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + (inside ? from : 0)),
                 "r"(inside ? 4 : 0)
                 : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const int i = static_cast<int>(global_thread());
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum = __fmaf_rn(micro_taps[k], tile[threadIdx.x + k], sum);
  out[i] = sum;
}

/// Each thread computes eight neighbouring outputs, so that it reads each value once for all of them. The block's part
/// is in shared memory: (8 blockDim.x + 2 radius) floats, with a padding word after each 32.
extern "C" __global__ void __launch_bounds__(kStencilThreads)
    micro_stencil_window(int n, int radius, const float* __restrict__ in, float* __restrict__ out) {
  extern __shared__ float tile[];
  const int base = static_cast<int>(blockIdx.x * blockDim.x) * kWindow;
  const int width = static_cast<int>(blockDim.x) * kWindow + 2 * radius;
  const auto padded = [](int j) { return j + j / 32; };  // otherwise the lanes of a warp would share 4 banks
  for (int j = static_cast<int>(threadIdx.x); j < width; j += static_cast<int>(blockDim.x)) {
    const int from = base - radius + j;
    tile[padded(j)] = from >= 0 && from < n ? in[from] : 0;
  }
  __syncthreads();
  const int mine = static_cast<int>(threadIdx.x) * kWindow;
  float window[kWindow], sum[kWindow] = {};
#pragma unroll
  for (int w = 0; w < kWindow; ++w) window[w] = tile[padded(mine + w)];
  for (int k = 0; k <= 2 * radius; ++k) {
    const float tap = micro_taps[k];
#pragma unroll
    for (int w = 0; w < kWindow; ++w) sum[w] = __fmaf_rn(tap, window[w], sum[w]);
#pragma unroll
    for (int w = 0; w + 1 < kWindow; ++w) window[w] = window[w + 1];
    if (k < 2 * radius) window[kWindow - 1] = tile[padded(mine + kWindow + k)];
  }
#pragma unroll
  for (int w = 0; w < kWindow; ++w) {
    if (base + mine + w < n) out[base + mine + w] = sum[w];
  }
}

}  // namespace bb::micro
