#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device/kernel.hpp"
#include "cuda/task/cuda_task.hpp"
#include "layer.hpp"

namespace bb::linear_relu {

/// The matrices of a layer on the device. T is float, or an integer with the bits of BF16. A variant queues its
/// products.
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
  /// Prepares the state of a variant once the matrices exist: plans, copies, kernels.
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
  cuda::DeviceBuffer<T> y_, g_, dx_, dw_, sums_;     // g_ is dY where Y > 0, otherwise 0

 private:
  cuda::DeviceBuffer<T> on_device(const std::vector<float>& values);
  std::vector<float> read(const cuda::DeviceBuffer<T>& values);

  Layer layer_;
};

extern template class CudaLayer<float>;
extern template class CudaLayer<std::uint16_t>;

/// Number of products over which an algorithm of a library is timed, after one warm-up product.
inline constexpr int kTimings = 20;

double cuda_bytes(const engine::TaskProblem& problem);
std::string cuda_unavailable();

/// The kernels of kernels/linear_relu/pointwise.cu.
class Pointwise {
 public:
  explicit Pointwise(const cuda::Module& module)
      : rectify_(module, "linear_relu_rectify"),
        finish_(module, "linear_relu_finish"),
        cleared_(module, "linear_relu_gate_cleared"),
        gate_(module, "linear_relu_gate"),
        gate_bf16_(module, "linear_relu_gate_bf16") {}

  /// y = max(y + bias, 0); `bias` may be null.
  void rectify(cuda::Stream& to, float* y, const float* bias, unsigned rows, unsigned columns) {
    const unsigned long long count = static_cast<unsigned long long>(rows) * columns;
    rectify_.launch(to, whole(count), y, bias, count, columns);
  }
  /// y = f(y + bias + residual); `bias` and `residual` may be null.
  void finish(cuda::Stream& to, float* y, const float* bias, const float* residual, unsigned rows, unsigned columns,
              Activation activation) {
    const unsigned long long count = static_cast<unsigned long long>(rows) * columns;
    finish_.launch(to, whole(count), y, bias, residual, count, columns, static_cast<int>(activation));
  }
  /// Like `gate`, but writes only where `by` > 0; `out` must contain zeros.
  void gate_cleared(cuda::Stream& to, const float* gradient, const float* by, float* out, unsigned long long count) {
    cleared_.launch(to, whole(count), gradient, by, out, count);
  }
  /// Sets `out` to `gradient` where `by` > 0, otherwise to 0. Writes the column sums of `out` to `sums`, which may be
  /// null.
  void gate(cuda::Stream& to, const float* gradient, const float* by, float* out, float* sums, unsigned rows,
            unsigned columns) {
    gate_.launch(to, {.grid = {(columns + 31) / 32}, .block = {32, 32}}, gradient, by, out, sums, rows, columns);
  }
  void gate_bf16(cuda::Stream& to, const std::uint16_t* gradient, const std::uint16_t* by, std::uint16_t* out,
                 unsigned long long count) {
    gate_bf16_.launch(to, whole(count), gradient, by, out, count);
  }

 private:
  static cuda::LaunchShape whole(unsigned long long count) {
    constexpr unsigned long long kThreads = 256, kMaxBlocks = 4096;
    return {.grid = {static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMaxBlocks))},
            .block = {static_cast<unsigned>(kThreads)}};
  }

  cuda::Kernel rectify_, finish_, cleared_, gate_, gate_bf16_;
};

/// The layer in FP32 as separate products and masks; a variant defines the product.
class CudaUnfusedLayer : public CudaLayer<float> {
 public:
  explicit CudaUnfusedLayer(const engine::TaskProblem& problem)
      : CudaLayer(problem, Arithmetic::kFp32), pointwise_(module()) {}

 protected:
  /// Queues the forward direction: Y from X, with bias and rectifier.
  virtual void forward(cuda::Stream& to) = 0;
  /// Queues out[rows][columns] = A[rows][depth] B[depth][columns]. If `turned`, A is stored as [depth][rows].
  virtual void product(cuda::Stream& to, const float* a, bool turned, const float* b, float* out, unsigned rows,
                       unsigned columns, unsigned depth) = 0;

  /// Queues the masking of the gradient: G from dY, and the sums of the columns of G.
  virtual void gate(cuda::Stream& to) {
    pointwise_.gate(to, dy_.pointer(), gate_.pointer(), g_.pointer(), sums(), batch(), out_width());
  }

  void steps(cuda::Stream& to) {
    switch (layer().direction) {
      case Direction::kForward:
        forward(to);
        break;
      case Direction::kBackward:
        gate(to);
        product(to, g_.pointer(), false, w_.pointer(), dx_.pointer(), batch(), in_width(), out_width());
        product(to, g_.pointer(), true, x_.pointer(), dw_.pointer(), out_width(), in_width(), batch());
        break;
      case Direction::kThrough:
        product(to, dy_.pointer(), false, w_.pointer(), dx_.pointer(), batch(), in_width(), out_width());
        pointwise_.gate(to, dx_.pointer(), x_.pointer(), dx_.pointer(), sums(), batch(), in_width());
        break;
    }
  }

  Pointwise pointwise_;
};

}  // namespace bb::linear_relu
