// Host side of `cuda-gather` and `cuda-uncoalesced`: five kernels per step, each reading one buffer and writing the other.
#include "cuda_gather_passes.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

template <typename T>
class CudaGather : public CudaGatherPasses<T> {
 public:
  using CudaGatherPasses<T>::CudaGatherPasses;

 protected:
  void look_up_kernels() override {
    score_.emplace(this->score_pass());
    operators_ = this->operator_passes(this->tables().ne, family());
  }

  void launch_operators(int step) override {
    score_->kernel.launch(this->stream(), score_->shape, this->context(step));
    for (auto& [kernel, shape] : operators_) {
      kernel.launch(this->stream(), shape, this->context(step));
      this->flip();
    }
  }

  /// What the names of the operators' kernels begin with.
  virtual const char* family() const { return "gather"; }

 private:
  using Pass = typename CudaGatherPasses<T>::Pass;
  std::optional<Pass> score_;
  std::vector<Pass> operators_;
};

template <typename T>
class CudaUncoalesced final : public CudaGather<T> {
 public:
  using CudaGather<T>::CudaGather;

 private:
  const char* family() const override { return "strided"; }
};

}  // namespace

Variant cuda_gather_variant() {
  return {
      .id = "cuda-gather",
      .title = "Gather on the GPU",
      .changes = "Each cell collects from the cells that feed it: coalesced, no atomics but the ledger's, no clears",
      .builds_on = "cuda-scatter",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_gather.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 36,  // score reads; four passes read and write
      .flops_per_cell_step = 62,
      .speed_rank = 120,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_solver<CudaGather>,
      .unavailable = cuda_unavailable,
  };
}

Variant cuda_uncoalesced_variant() {
  return {
      .id = "cuda-uncoalesced",
      .title = "Gather on the GPU, uncoalesced",
      .changes = "Neighbouring threads compute neighbours along z instead of x, which are a row apart in memory",
      .builds_on = "cuda-gather",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_gather.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},  // one plane of depth stepping has no neighbours along z
      .bytes_per_cell_step = 36,
      .flops_per_cell_step = 62,
      .speed_rank = 80,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_solver<CudaUncoalesced>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
