#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/task/cuda_task.hpp"
#include "layer.hpp"

namespace bb::linear_relu {

/// The matrices of a layer on the device, in T: float, or the bits of BF16. A variant queues its products.
template <typename T>
class CudaLayer : public cuda::CudaTask {
 public:
  CudaLayer(const engine::TaskProblem& problem, Arithmetic arithmetic)
      : CudaTask(problem, "linear_relu"), layer_(problem, arithmetic) {}

  void prepare() final;
  engine::TaskArrays arrays() final;
  engine::TaskResults results() final;
  engine::CheckReport compare(const engine::TaskResults& results) override { return layer_.compare(results); }
  std::uint64_t hash() final;
  engine::TaskWork work() const final { return layer_.work(); }

 protected:
  /// State that a variant prepares once the matrices exist: plans, copies, kernels.
  virtual void plan() {}

  const Layer& layer() const { return layer_; }
  unsigned batch() const { return static_cast<unsigned>(layer_.batch); }
  unsigned in_width() const { return static_cast<unsigned>(layer_.inputs); }
  unsigned out_width() const { return static_cast<unsigned>(layer_.outputs); }
  /// Null if there is no bias.
  T* bias() { return layer_.bias ? b_.pointer() : nullptr; }
  /// Null if there is no residual.
  const T* residual() { return layer_.residual ? r_.pointer() : nullptr; }
  T* sums() { return layer_.bias ? sums_.pointer() : nullptr; }

  cuda::DeviceBuffer<T> x_, w_, b_, dy_, gate_, r_;  // inputs; gate_ is Y
  cuda::DeviceBuffer<T> y_, g_, dx_, dw_, sums_;     // g_ is dY where Y > 0

 private:
  cuda::DeviceBuffer<T> on_device(const std::vector<float>& values);
  std::vector<float> read(const cuda::DeviceBuffer<T>& values);

  Layer layer_;
};

extern template class CudaLayer<float>;
extern template class CudaLayer<std::uint16_t>;

/// Products that a library's way is timed over, after one that is not.
inline constexpr int kTimings = 20;

double cuda_bytes(const engine::TaskProblem& problem);
std::string cuda_unavailable();

}  // namespace bb::linear_relu
