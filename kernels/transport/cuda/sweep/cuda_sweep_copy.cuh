#pragma once

#include "cuda_sweep_score.cuh"

// The copying warp of a sweep: copies rows of the sources into stages ahead of their use.
namespace bb::transport::sweep {

/// Queues the copy of one row of all sources into its stage.
__device__ inline void copy_row(const Work& w, int row) {
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const auto place = static_cast<unsigned>(row % w.column.stages);
  const unsigned barrier = full_barrier(w.shared, place);
  const unsigned bytes = static_cast<unsigned>((w.high - w.low) * w.p.pitch) * 4u;
  float* const stage = w.stage(place) + w.shift + (w.low - w.stage_low) * w.p.pitch;
  const auto source = [&](int n) {
    return w.from + fused::row_start(w.p, w.group.source[n], row) + static_cast<unsigned>(w.low * w.p.pitch);
  };
#if __CUDA_ARCH__ >= 900
  if (lane == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(bytes * static_cast<unsigned>(w.group.sources))
                 : "memory");
  }
  __syncwarp();
  if (lane < w.group.sources) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(stage + lane * w.source_floats))),
                 "l"(source(lane)), "r"(bytes), "r"(barrier)
                 : "memory");
  }
#else
  for (int n = 0; n < w.group.sources; ++n) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(stage + n * w.source_floats));
    const char* const from = reinterpret_cast<const char*>(source(n));
    for (unsigned at = static_cast<unsigned>(lane) * 16; at < bytes; at += 512) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at), "l"(from + at) : "memory");
    }
  }
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
}

/// Initializes the barriers of `stages` stages, which `readers` warps read.
__device__ inline void prepare_stages(float* shared, int stages, int readers) {
#if __CUDA_ARCH__ >= 900
  constexpr int kCopiers = 1;
#else
  constexpr int kCopiers = 32;
#endif
  for (int n = 0; n < stages; ++n) {
    const auto place = static_cast<unsigned>(n);
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(full_barrier(shared, place)), "r"(kCopiers) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(free_barrier(shared, place)), "r"(readers * 32) : "memory");
  }
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Invalidates the barriers.
__device__ inline void forget_stages(float* shared, int stages) {
  for (int n = 0; n < stages; ++n) {
    const auto place = static_cast<unsigned>(n);
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(full_barrier(shared, place)) : "memory");
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(free_barrier(shared, place)) : "memory");
  }
}

__device__ inline void copy_column(const Work& w) {
  const int rows = w.p.tables.nz, stages = w.column.stages;
  for (int row = 0; row < min(rows, stages); ++row) copy_row(w, row);
  for (int row = stages; row < rows; ++row) {
    wait_for(free_barrier(w.shared, static_cast<unsigned>(row % stages)), static_cast<unsigned>(row / stages - 1) & 1);
    copy_row(w, row);
  }
}

}  // namespace bb::transport::sweep
