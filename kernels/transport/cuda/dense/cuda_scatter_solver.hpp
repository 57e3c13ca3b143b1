#pragma once

#include <vector>

#include "cuda_dense_solver.hpp"
#include "cuda_scatter.hpp"

namespace bb::transport {

/// Host side of the scatter variants: a reduction, then three launches, each into a cleared buffer.
class CudaScatterSolver : public CudaDenseSolver<float> {
 public:
  using CudaDenseSolver<float>::CudaDenseSolver;

 protected:
  struct KernelNames {
    const char* slow_down;
    const char* angles;
    const char* stream;
  };
  /// Names of the kernels of the three launches.
  virtual KernelNames names() const = 0;
  /// Launch shape of these kernels.
  virtual cuda::LaunchShape shape() const = 0;

 private:
  void look_up_kernels() final;
  void launch_operators(int step) final;
  cuda::DeviceBuffer<int> begin_, destination_;
  cuda::DeviceBuffer<float> weight_;
  DeviceSourceTaps taps_{};
  std::optional<cuda::Kernel> totals_, slow_down_, angles_, stream_;
};

}  // namespace bb::transport
