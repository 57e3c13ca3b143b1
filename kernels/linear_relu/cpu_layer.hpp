#pragma once

#include <vector>

#include "engine/cpu_task.hpp"
#include "layer.hpp"

namespace bb::linear_relu {

/// Storage order of an operand of a row-major product.
enum class StorageOrder { kAsIs, kTransposed };

/// The layer on the CPU. A variant defines the matrix product in T; all variants share the other loops.
template <typename T>
class CpuLayer : public engine::CpuTask {
 public:
  explicit CpuLayer(const engine::TaskProblem& problem);

  void prepare() override;
  engine::TaskArrays arrays() final;
  engine::TaskResults results() final;
  engine::CheckReport compare(const engine::TaskResults& results) final { return layer_.compare(results); }
  std::uint64_t hash() final;
  engine::TaskWork work() const final { return layer_.work(); }

 protected:
  /// out[rows][columns] = A[rows][depth] B[depth][columns]. A transposed operand is stored with its two dimensions
  /// swapped.
  virtual void product(const T* a, StorageOrder a_order, const T* b, StorageOrder b_order, T* out, std::size_t rows,
                       std::size_t columns, std::size_t depth) = 0;
  void run() final;

 private:
  /// Adds bias and residual, and applies the activation of the forward direction.
  void finish();
  /// Sets `out` to the gradient where by > 0, otherwise to 0. Also sums the columns of `out` if there is a bias.
  void gate(const T* gradient, const T* by, T* out, std::size_t rows, std::size_t columns);

  Layer layer_;
  std::vector<T> x_, w_, b_, dy_, gate_, r_;
  std::vector<T> y_, g_, dx_, dw_, sums_;
};

extern template class CpuLayer<float>;
extern template class CpuLayer<double>;

}  // namespace bb::linear_relu
