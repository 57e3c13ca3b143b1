// `cuda-slice-launches`: the kernels of `cuda-gather`, each launched once per energy bin from a loop on the
// host, as code that keeps one array per energy does.
#include "cuda_dense_solver.hpp"
#include "cuda_gather.hpp"
#include "variants.hpp"

namespace bb::transport {
namespace {

class CudaSliceLaunches final : public CudaDenseSolver<float> {
 public:
  using CudaDenseSolver<float>::CudaDenseSolver;

 protected:
  void look_up_kernels() override {
    score_.emplace(this->kernel("gather_score"));
    for (const char* name : {"gather_slow_down", "gather_scatter_angles", "gather_stream_x", "gather_stream_z"}) {
      passes_.push_back(this->kernel(name));
    }
  }

  void launch_operators(int step) override {
    const unsigned columns = static_cast<unsigned>((this->tables().nx + 31) / 32);
    each_bin(step, *score_,
             {.grid = {columns, static_cast<unsigned>(this->rows()), 1}, .block = {32, kGatherScoreWarps, 1}});
    cuda::LaunchShape shape = this->cell_shape(kGatherThreads);
    shape.grid.z = 1;
    for (cuda::Kernel& pass : passes_) {
      each_bin(step, pass, shape);
      this->flip();
    }
  }

 private:
  void each_bin(int step, cuda::Kernel& kernel, const cuda::LaunchShape& shape) {
    DeviceStep<float> s = this->context(step);
    s.bins = 1;
    for (s.first_bin = 0; s.first_bin < this->tables().ne; ++s.first_bin) kernel.launch(this->stream(), shape, s);
  }

  std::optional<cuda::Kernel> score_;
  std::vector<cuda::Kernel> passes_;
};

}  // namespace

Variant cuda_slice_launches_variant() {
  return {
      .id = "cuda-slice-launches",
      .title = "One launch per energy slice",
      .changes = "One launch per energy bin and operator, driven from the host's loop",
      .builds_on = "",
      .device = "cuda",
      .source = "kernels/transport/cuda_slice_launches.cpp",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 36,
      .flops_per_cell_step = 62,
      .speed_rank = 90,
      .estimate_bytes = estimate_cuda_dense,
      .make = make_cuda_float_solver<CudaSliceLaunches>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
