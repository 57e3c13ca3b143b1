#include "cuda_scatter_solver.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

class CudaScatter final : public CudaScatterSolver {
 public:
  using CudaScatterSolver::CudaScatterSolver;

 protected:
  KernelNames names() const override { return {"scatter_slow_down", "scatter_angles", "scatter_stream"}; }
  cuda::LaunchShape shape() const override { return this->cell_shape(kScatterThreads); }
};

}  // namespace

Variant cuda_scatter_variant() {
  return {
      .id = "cuda-scatter",
      .title = "Scatter on the GPU",
      .changes =
          "As in a CuPy RawKernel: three launches per step, one thread per cell, an atomic for each target cell in "
          "cleared outputs, and atomics for dose and losses",
      .builds_on = "",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_scatter.cu",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      // The sums read ψ once. Each of the three launches clears the output, reads the input, and reads and writes the
      // output.
      .bytes_per_cell_step = 52,
      .flops_per_cell_step = 160,  // the remap in x is computed for five rows
      .speed_rank = 100,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_float_solver<CudaScatter>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
