#include "registry.hpp"

#include <vector>

#include "rows.hpp"

namespace bb::micro {

std::span<const engine::TaskBench> benches() {
  static const std::vector<engine::TaskBench> all = {
      launch_bench(),
      graphs_bench(),
      host_loop_bench(),
      coalescing_bench(),
      layout_bench(),
      latency_bench(),
      bandwidth_bench(),
      stencil_1d_bench(),
      stencil_2d_bench(),
      transpose_bench(),
      bank_conflicts_bench(),
      reduction_bench(),
      scan_bench(),
      compaction_bench(),
      histogram_bench(),
      fma_bench(),
      divergence_bench(),
      unrolling_bench(),
      gemm_bench(),
      overlap_bench(),
      concurrent_kernels_bench(),
      beside_library_bench(),
      spmv_bench(),
      spgemm_bench(),
      changing_pattern_bench(),
      elementwise_bench(),
      views_bench(),
      timing_bench(),
      cold_start_bench(),
      grid_stride_bench(),
      block_size_bench(),
      few_threads_bench(),
      fp64_bench(),
      instruction_latency_bench(),
      early_exit_bench(),
      contention_bench(),
      bounds_bench(),
      own_bench(),
      scattering_bench(),
      image_series_bench(),
      refinement_bench(),
  };
  return all;
}

}  // namespace bb::micro
