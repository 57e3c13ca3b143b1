#pragma once

#include <algorithm>

#include "cuda/device/kernel.hpp"
#include "layer.hpp"

namespace bb::linear_relu {

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
  /// y = f(y + bias + residual); both may be null.
  void finish(cuda::Stream& to, float* y, const float* bias, const float* residual, unsigned rows, unsigned columns,
              Activation activation) {
    const unsigned long long count = static_cast<unsigned long long>(rows) * columns;
    finish_.launch(to, whole(count), y, bias, residual, count, columns, static_cast<int>(activation));
  }
  /// `out` holds zeros.
  void gate_cleared(cuda::Stream& to, const float* gradient, const float* by, float* out, unsigned long long count) {
    cleared_.launch(to, whole(count), gradient, by, out, count);
  }
  /// `sums` may be null.
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
    constexpr unsigned long long kThreads = 256, kMostBlocks = 4096;
    return {.grid = {static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMostBlocks))},
            .block = {static_cast<unsigned>(kThreads)}};
  }

  cuda::Kernel rectify_, finish_, cleared_, gate_, gate_bf16_;
};

}  // namespace bb::linear_relu
