// Host side of `cuda-gather`: five kernels per step, each reading one buffer and writing the other.
#include "cuda_dense_solver.hpp"
#include "cuda_gather.hpp"
#include "variants.hpp"

namespace bb::transport {
namespace {

template <typename T>
class CudaGather final : public CudaDenseSolver<T> {
 public:
  using CudaDenseSolver<T>::CudaDenseSolver;

 protected:
  void look_up_kernels() override {
    score_.emplace(this->kernel("gather_score"));
    slow_down_.emplace(this->kernel("gather_slow_down"));
    scatter_angles_.emplace(this->kernel("gather_scatter_angles"));
    stream_x_.emplace(this->kernel("gather_stream_x"));
    stream_z_.emplace(this->kernel("gather_stream_z"));
  }

  void launch_operators(int step) override {
    const unsigned columns = static_cast<unsigned>((this->tables().nx + 31) / 32);
    score_->launch(this->stream(),
                   {.grid = {columns, static_cast<unsigned>(this->rows()), 1}, .block = {32, kGatherScoreWarps, 1}},
                   this->context(step));
    pass(*slow_down_, 1, step);
    pass(*scatter_angles_, 1, step);
    pass(*stream_x_, kGatherStreamBins, step);
    if (!this->depth()) pass(*stream_z_, kGatherStreamBins, step);
  }

 private:
  void pass(cuda::Kernel& kernel, int energies, int step) {
    kernel.launch(this->stream(), this->cell_shape(kGatherThreads, energies), this->context(step));
    this->flip();
  }

  std::optional<cuda::Kernel> score_, slow_down_, scatter_angles_, stream_x_, stream_z_;
};

}  // namespace

Variant cuda_gather_variant() {
  return {
      .id = "cuda-gather",
      .title = "Gather on the GPU",
      .changes = "Each cell collects from the cells that feed it: coalesced, no atomics but the ledger's, no clears",
      .builds_on = "cuda-scatter",
      .device = "cuda",
      .source = "kernels/transport/cuda_gather.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 36,  // score reads; four passes read and write
      .flops_per_cell_step = 62,
      .speed_rank = 120,
      .estimate_bytes = estimate_cuda_dense,
      .make = make_cuda_solver<CudaGather>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
