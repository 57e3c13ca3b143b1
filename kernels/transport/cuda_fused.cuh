#pragma once

#include "cuda_fused_advance.cuh"
#include "cuda_fused_plan.cuh"
#include "cuda_fused_score.cuh"

// One step: blocks draw items, the last one to finish plans the next step.
namespace bb::transport::fused {

template <typename T, bool kDepth>
__device__ void work_through(const FusedParameters<T>& p, int step, T* shared) {
  __shared__ int mine;
  __shared__ ItemTables<T> lists;
  for (;;) {
    if (threadIdx.x == 0) mine = static_cast<int>(atomicAdd(&p.control->next_item, 1u));
    __syncthreads();
    const int index = mine;
    __syncthreads();
    if (index >= p.control->items) break;
    const WorkItem item = p.work[index];
    if (item.kind == kAdvance) {
      if (input_width(p) == kUsualWidth) {
        Advance<T, kDepth, kUsualWidth>(p, item, step, lists, shared).run();
      } else {
        Advance<T, kDepth, 0>(p, item, step, lists, shared).run();
      }
    } else {
      score_item<T, kDepth>(p, item, step, shared);
    }
  }
}

/// True in every thread of the block that finishes the step last.
template <typename T>
__device__ bool last_block(const FusedParameters<T>& p) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&p.control->blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

}  // namespace bb::transport::fused
