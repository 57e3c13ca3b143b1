// Host side of `cuda-uncoalesced`.
#include "cuda_gather_passes.hpp"
#include "transport/variants.hpp"

namespace bb::transport {
namespace {

constexpr GatherKernels kStridedKernels{"strided_slow_down", "strided_scatter_angles", "strided_stream_x",
                                        "strided_stream_z"};

template <typename T>
class CudaUncoalescedSolver final : public CudaGatherSolver<T> {
 public:
  using CudaGatherSolver<T>::CudaGatherSolver;

 private:
  const GatherKernels& operators() const override { return kStridedKernels; }
};

}  // namespace

Variant cuda_uncoalesced_variant() {
  return {
      .id = "cuda-uncoalesced",
      .title = "Gather on the GPU, uncoalesced",
      .changes = "Neighbouring threads compute neighbours along z instead of x, which are one row apart in memory",
      .builds_on = "cuda-gather",
      .device = "cuda",
      .source = "kernels/transport/cuda/dense/cuda_gather.cu",
      .precisions = {Precision::kFp32, Precision::kFp64},
      .steppings = {Stepping::kPath},  // one plane of depth stepping has no neighbours along z
      .bytes_per_cell_step = 36,
      .flops_per_cell_step = 62,
      .speed_rank = 80,
      .estimate_bytes = estimate_dense,
      .make = make_cuda_solver<CudaUncoalescedSolver>,
      .unavailable = cuda_unavailable,
  };
}

}  // namespace bb::transport
