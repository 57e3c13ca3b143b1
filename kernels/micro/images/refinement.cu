// Normal equations for fitting an image. `images` holds `count` images one after another: first the image at the
// current unknowns, then one for each unknown increased by a step.
#include "micro/images/series.cuh"
#include "micro/row/common.cuh"

namespace bb::micro::images {

/// Layout shared with refinement.cpp.
inline constexpr int kUnknowns = 9, kSums = kUnknowns * (kUnknowns + 1) / 2 + kUnknowns + 1;
inline constexpr int kSumThreads = 128;

/// Sums over the pixels of a block: Jᵀ J by rows up to its diagonal, Jᵀ r, rᵀ r.
extern "C" __global__ void __launch_bounds__(kSumThreads)
    micro_refinement_sums(int pixels, const float* images, const float* measured, double per_step, double* blocks) {
  double sums[kSums] = {};
  for (int i = static_cast<int>(global_thread()); i < pixels; i += static_cast<int>(all_threads())) {
    const double here = images[i], off = here - measured[i];
    double slopes[kUnknowns];
#pragma unroll
    for (int u = 0; u < kUnknowns; ++u) {
      slopes[u] = (images[static_cast<long long>(u + 1) * pixels + i] - here) * per_step;
    }
    int at = 0;
#pragma unroll
    for (int u = 0; u < kUnknowns; ++u) {
#pragma unroll
      for (int v = 0; v <= u; ++v) sums[at++] += slopes[u] * slopes[v];
    }
#pragma unroll
    for (int u = 0; u < kUnknowns; ++u) sums[at++] += slopes[u] * off;
    sums[at] += off * off;
  }
  __shared__ double warps[kSumThreads / 32][kSums];
#pragma unroll
  for (int k = 0; k < kSums; ++k) {
    const double sum = warp_sum(sums[k]);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][k] = sum;
  }
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < kSums; k += kSumThreads) {
    double sum = 0;
    for (int w = 0; w < kSumThreads / 32; ++w) sum += warps[w][k];
    blocks[static_cast<int>(blockIdx.x) * kSums + k] = sum;
  }
}

/// Each thread computes one sum. It adds the sums of the blocks in a fixed order.
extern "C" __global__ void micro_refinement_total(int blocks, const double* sums, double* total) {
  if (threadIdx.x >= kSums) return;
  double sum = 0;
  for (int b = 0; b < blocks; ++b) sum += sums[b * kSums + static_cast<int>(threadIdx.x)];
  total[threadIdx.x] = sum;
}

}  // namespace bb::micro::images
