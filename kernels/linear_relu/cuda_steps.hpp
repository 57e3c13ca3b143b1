#pragma once

#include "cuda_layer.hpp"
#include "pointwise.hpp"

namespace bb::linear_relu {

/// The layer in FP32 as separate products and gates; a variant defines the product.
class CudaSteps : public CudaLayer<float> {
 public:
  explicit CudaSteps(const engine::TaskProblem& problem)
      : CudaLayer(problem, Arithmetic::kFp32), pointwise_(module()) {}

 protected:
  /// Y of X, with bias and rectifier.
  virtual void forward(cuda::Stream& to) = 0;
  /// out[rows][columns] = A[rows][depth] B[depth][columns]; `turned`: A is stored [depth][rows].
  virtual void product(cuda::Stream& to, const float* a, bool turned, const float* b, float* out, unsigned rows,
                       unsigned columns, unsigned depth) = 0;

  /// G of dY, and the sums of its columns.
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
