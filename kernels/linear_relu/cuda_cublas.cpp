#include <optional>

#include "cuda/library/cublas.hpp"
#include "cuda_layer.hpp"
#include "make.hpp"

namespace bb::linear_relu {
namespace {

using cuda::OperandOrder;
using engine::TaskProblem;

/// Selects how a repetition runs: as launches, as a graph, or with a separate clearing of the masked result.
enum class StepMode { kLaunches, kGraph, kCleared };

/// Computes products by cuBLAS, with bias and rectifier as separate kernels.
template <StepMode kMode>
class CublasLayer final : public CudaUnfusedLayer {
 public:
  explicit CublasLayer(const TaskProblem& problem) : CudaUnfusedLayer(problem) { blas_.reserve(stream()); }

  /// Cost of the rectifier relative to the product: an upper bound on what fusing them can save.
  std::vector<engine::Quantity> quantities() override {
    if (layer().direction != Direction::kForward) return {};
    cuda::DeviceTimer timer(device());
    const auto each = [&](auto&& work) {
      work();
      return timer.seconds(stream(), nullptr, [&] {
        for (int i = 0; i < kTimings; ++i) work();
      }) / kTimings;
    };
    const double product = each([&] { forward_product(stream()); });
    const double rectify = each([&] { finish(stream()); });
    return {{"gemm", "Product alone", product * 1e6, "µs"},
            {"relu", "Bias and activation alone", rectify * 1e6, "µs"},
            {"fusion", "Upper limit of the gain from fusion", (product + rectify) / product, "×"}};
  }

 protected:
  void plan() override {
    if constexpr (kMode == StepMode::kGraph) {
      stream().begin_capture();
      steps(stream());
      graph_.emplace(stream().end_capture());
      graph_->upload(stream());
    }
  }
  void queue(cuda::Stream& to) override {
    if constexpr (kMode == StepMode::kGraph) {
      graph_->launch(to);
    } else {
      steps(to);
    }
  }
  std::string no_graph() const override { return kMode == StepMode::kGraph ? "it is already a graph" : ""; }

 private:
  void forward_product(cuda::Stream& to) {
    blas_.product(to, x_.pointer(), OperandOrder::kAsIs, w_.pointer(), OperandOrder::kTransposed, y_.pointer(),
                  static_cast<int>(batch()), static_cast<int>(out_width()), static_cast<int>(in_width()));
  }
  void finish(cuda::Stream& to) {
    if (layer().activation == Activation::kRelu && !layer().residual) {
      pointwise_.rectify(to, y_.pointer(), bias(), batch(), out_width());
    } else {
      pointwise_.finish(to, y_.pointer(), bias(), residual(), batch(), out_width(), layer().activation);
    }
  }
  /// kCleared fills a buffer with zeros and then writes only where the mask is open. A separate pass sums the columns.
  void gate(cuda::Stream& to) override {
    if constexpr (kMode == StepMode::kCleared) {
      g_.fill_bytes(0, to);
      pointwise_.gate_cleared(to, dy_.pointer(), gate_.pointer(), g_.pointer(), g_.size());
      if (sums() != nullptr)
        pointwise_.gate(to, g_.pointer(), gate_.pointer(), g_.pointer(), sums(), batch(), out_width());
    } else {
      CudaUnfusedLayer::gate(to);
    }
  }

  void forward(cuda::Stream& to) override {
    forward_product(to);
    finish(to);
  }
  void product(cuda::Stream& to, const float* a, bool turned, const float* b, float* out, unsigned rows,
               unsigned columns, unsigned depth) override {
    blas_.product(to, a, turned ? OperandOrder::kTransposed : OperandOrder::kAsIs, b, OperandOrder::kAsIs, out,
                  static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(depth));
  }

  cuda::Cublas blas_;
  std::optional<cuda::Graph> graph_;
};

std::string cublas_missing() {
  const std::string device = cuda_unavailable();
  return device.empty() ? cuda::cublas_unavailable() : device;
}

std::string backward_only_refusal(const TaskProblem& problem) {
  return problem.word("direction") == "backward"
             ? forward_only_refusal(problem)
             : "this variant zeroes a buffer of the backward pass; allowed: problem.direction = backward";
}

}  // namespace

std::vector<engine::TaskVariant> cublas_variants() {
  return {
      {.id = "cuda-cublas",
       .title = "cuBLAS and a ReLU kernel",
       .changes = "cuBLAS product, then bias and activation in a separate launch",
       .builds_on = "cuda-blocked",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/cuda_cublas.cpp",
       .estimate_bytes = cuda_bytes,
       .make = make<CublasLayer<StepMode::kLaunches>>,
       .refuses = forward_only_refusal,
       .unavailable = cublas_missing,
       .library = "cuBLAS"},
      {.id = "cuda-cublas-graph",
       .title = "As one graph",
       .changes = "replays both launches as one graph",
       .builds_on = "cuda-cublas",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/cuda_cublas.cpp",
       .estimate_bytes = cuda_bytes,
       .make = make<CublasLayer<StepMode::kGraph>>,
       .refuses = forward_only_refusal,
       .unavailable = cublas_missing,
       .library = "cuBLAS"},
      {.id = "cuda-cublas-cleared",
       .title = "With a zeroed buffer",
       .changes = "writes the masked gradient into a buffer of zeros, as zeros_like with a mask does",
       .builds_on = "cuda-cublas",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/cuda_cublas.cpp",
       .estimate_bytes = cuda_bytes,
       .make = make<CublasLayer<StepMode::kCleared>>,
       .refuses = backward_only_refusal,
       .unavailable = cublas_missing,
       .library = "cuBLAS"},
  };
}

}  // namespace bb::linear_relu
