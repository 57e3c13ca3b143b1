// Host side of `cuda-gather`.
#include "cuda_gather_passes.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

template <typename T>
class CudaGather final : public CudaGatherSolver<T> {
 public:
  using CudaGatherSolver<T>::CudaGatherSolver;

 private:
  const GatherKernels& operators() const override { return kGatherKernels; }
};

}  // namespace

Variant cuda_gather_variant() {
  return {
      .id = "cuda-gather",
      .title = "Gather on the GPU",
      .changes = "Each cell gathers from its source cells: coalesced, no atomics except for the ledger, no clearing",
      .builds_on = "cuda-scatter",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_gather.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath, Stepping::kDepth},
      .bytes_per_cell_step = 36,  // the score pass reads the state; four passes read and write it
      .flops_per_cell_step = 62,
      .speed_rank = 120,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_solver<CudaGather>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
