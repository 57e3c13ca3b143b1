#pragma once

#include "engine/task.hpp"

// One function per row; registry.cpp lists them.
namespace bb::micro {

engine::TaskBench launch_bench();
engine::TaskBench graphs_bench();
engine::TaskBench host_loop_bench();
engine::TaskBench coalescing_bench();
engine::TaskBench layout_bench();
engine::TaskBench latency_bench();
engine::TaskBench bandwidth_bench();
engine::TaskBench stencil_1d_bench();
engine::TaskBench stencil_2d_bench();
engine::TaskBench transpose_bench();
engine::TaskBench bank_conflicts_bench();
engine::TaskBench reduction_bench();
engine::TaskBench scan_bench();
engine::TaskBench compaction_bench();
engine::TaskBench histogram_bench();
engine::TaskBench fma_bench();
engine::TaskBench divergence_bench();
engine::TaskBench unrolling_bench();
engine::TaskBench gemm_bench();
engine::TaskBench overlap_bench();
engine::TaskBench concurrent_kernels_bench();
engine::TaskBench beside_library_bench();
engine::TaskBench spmv_bench();
engine::TaskBench spgemm_bench();
engine::TaskBench changing_pattern_bench();
engine::TaskBench elementwise_bench();
engine::TaskBench views_bench();
engine::TaskBench timing_bench();
engine::TaskBench cold_start_bench();
engine::TaskBench grid_stride_bench();
engine::TaskBench block_size_bench();
engine::TaskBench few_threads_bench();
engine::TaskBench fp64_bench();
engine::TaskBench instruction_latency_bench();
engine::TaskBench early_exit_bench();
engine::TaskBench contention_bench();
engine::TaskBench bounds_bench();
engine::TaskBench own_bench();
engine::TaskBench scattering_bench();
engine::TaskBench image_series_bench();
engine::TaskBench refinement_bench();

}  // namespace bb::micro
