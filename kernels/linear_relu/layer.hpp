#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/half.hpp"
#include "engine/task.hpp"

namespace bb::linear_relu {

/// forward: Y = f(X Wᵀ + b + R), with R only if there is a residual. backward: G = dY (Y > 0), dX = G W, dW = Gᵀ X, db
/// the sum of G's rows. through: dA = (dY W) (X > 0) and da the sum of its rows, where X is the output of a rectifier
/// before the layer.
enum class Direction { kForward, kBackward, kThrough };

/// Activation f of the forward direction; the gradients always use the rectifier.
enum class Activation : int { kRelu = 0, kGelu = 1, kNone = 2 };

/// GELU by the hyperbolic tangent, as in the libraries' epilogues (Hendrycks and Gimpel, arXiv 1606.08415).
template <typename T>
T gelu(T z) {
  constexpr T kScale = T(0.7978845608028654), kCubic = T(0.044715);  // √(2/π)
  return T(0.5) * z * (T(1) + std::tanh(kScale * (z + kCubic * z * z * z)));
}

/// Arithmetic of a variant. Its rounding errors determine the tolerances of the comparison with FP64.
enum class Arithmetic { kFp64, kFp32, kTf32, kBf16 };

/// Results of a variant, row-major and in the order of engine::TaskResults; only those that `direction` computes.
enum Result : std::size_t {
  kY,     // forward: [batch][outputs]
  kDx,    // backward, through: [batch][inputs]
  kDw,    // backward: [outputs][inputs]
  kSums,  // backward: [1][outputs]; through: [1][inputs]; empty without bias
  kResults
};

/// Shares ownership of the values, which must live as long as the result.
template <typename Values>
engine::TaskResult result_of(Values values) {
  const std::size_t count = values.size();
  return {count, [kept = std::move(values)](std::size_t i) { return static_cast<double>(kept[i]); }};
}

/// A layer with its inputs, row-major: x[batch][inputs], w[outputs][inputs], b[outputs]. For the gradients also
/// dy[batch][outputs] and y[batch][outputs], the layer's output.
struct Layer {
  /// Throws ProblemError. `arithmetic` BF16 rounds every input to BF16.
  Layer(const engine::TaskProblem& problem, Arithmetic arithmetic);

  std::size_t batch, inputs, outputs;
  Direction direction;
  Activation activation;
  bool bias, residual;
  Arithmetic arithmetic;
  std::vector<float> x, w, b, dy, y, r;

  engine::TaskWork work() const;
  /// Compares with FP64 results from the same inputs: every output of a small layer, a fixed sample of a large one.
  engine::CheckReport compare(const engine::TaskResults& results) const;
};

/// Activation of a problem; the default is the rectifier without residual.
Activation activation_of(const engine::TaskProblem& problem);
bool has_residual(const engine::TaskProblem& problem);
/// Reason why a problem with gradients and another activation or a residual is not supported; "" if it is.
std::string forward_only_refusal(const engine::TaskProblem& problem);
/// Reason why a variant that supports only the rectifier cannot run a problem; "" if it can.
std::string rectifier_only_refusal(const engine::TaskProblem& problem);

/// Multiply-adds of a problem.
double multiply_adds(const engine::TaskProblem& problem);
/// Bytes of all matrices of a problem in FP32, inputs and outputs.
double matrix_bytes(const engine::TaskProblem& problem);

using bb::bf16_bits;
using bb::bf16_value;

}  // namespace bb::linear_relu
