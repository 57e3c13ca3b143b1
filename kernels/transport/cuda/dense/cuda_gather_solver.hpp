#pragma once

#include <optional>
#include <vector>

#include "cuda_gather_passes.hpp"

namespace bb::transport {

/// Five kernels per step, each reading one buffer and writing the other.
template <typename T>
class CudaGatherSolver : public CudaGatherPasses<T> {
 public:
  using CudaGatherPasses<T>::CudaGatherPasses;

 protected:
  /// The operators' kernels.
  virtual const GatherKernels& operators() const = 0;

  void look_up_kernels() override {
    score_.emplace(this->score_pass());
    operators_ = this->operator_passes(this->tables().ne, operators());
  }

  void launch_operators(int step) override {
    score_->kernel.launch(this->stream(), score_->shape, this->context(step));
    for (auto& [kernel, shape] : operators_) {
      kernel.launch(this->stream(), shape, this->context(step));
      this->flip();
    }
  }

 private:
  using Pass = typename CudaGatherPasses<T>::Pass;
  std::optional<Pass> score_;
  std::vector<Pass> operators_;
};

}  // namespace bb::transport
