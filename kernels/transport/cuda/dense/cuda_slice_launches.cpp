// `cuda-slice-launches`: the kernels of `cuda-gather`, each launched once per energy bin from a loop on the
// host; as code that keeps one array per energy does.
#include "cuda_gather_kernels.hpp"
#include "cuda_gather_passes.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

class CudaSliceLaunches final : public CudaGatherPasses<float> {
 public:
  using CudaGatherPasses<float>::CudaGatherPasses;

 protected:
  void look_up_kernels() override {
    score_.emplace(this->score_pass());
    operators_ = this->operator_passes(1, kGatherKernels);
  }

  void launch_operators(int step) override {
    each_bin(step, *score_);
    for (Pass& pass : operators_) {
      each_bin(step, pass);
      this->flip();
    }
  }

 private:
  void each_bin(int step, Pass& pass) {
    DeviceStep<float> s = this->context(step);
    s.bins = 1;
    for (s.first_bin = 0; s.first_bin < this->tables().ne; ++s.first_bin) {
      pass.kernel.launch(this->stream(), pass.shape, s);
    }
  }

  std::optional<Pass> score_;
  std::vector<Pass> operators_;
};

}  // namespace

Variant cuda_slice_launches_variant() {
  return {
      .id = "cuda-slice-launches",
      .title = "One launch per energy slice",
      .changes = "One launch per energy bin and operator, driven from the host's loop",
      .builds_on = "",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_slice_launches.cpp",
      .precisions = {Precision::kFp32},
      .steppings = {Stepping::kPath},
      .bytes_per_cell_step = 36,
      .flops_per_cell_step = 62,
      .speed_rank = 90,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_float_solver<CudaSliceLaunches>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
