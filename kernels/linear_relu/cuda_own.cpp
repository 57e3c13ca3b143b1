#include <array>
#include <optional>

#include "cuda_layer.hpp"
#include "make.hpp"

namespace bb::linear_relu {
namespace {

using engine::TaskProblem;

enum class KernelVersion { kNaive, kCoalesced, kTiled, kBlocked };

/// Kernels of one variant: forward, and the products of A[rows][depth] and of A[depth][rows] with B[depth][columns].
struct KernelNames {
  const char *forward, *nn, *tn;
  unsigned block_x, block_y;  // threads
  unsigned tile;              // outputs of a block along each side
};

constexpr std::array<KernelNames, 4> kKernelNames{
    KernelNames{"linear_relu_naive", "linear_relu_naive_nn", "linear_relu_naive_tn", 16, 16, 16},
    KernelNames{"linear_relu_coalesced", "linear_relu_coalesced_nn", "linear_relu_coalesced_tn", 16, 16, 16},
    KernelNames{"linear_relu_tiled", "linear_relu_tiled_nn", "linear_relu_tiled_tn", 32, 32, 32},
    KernelNames{"linear_relu_blocked", "linear_relu_blocked_nn", "linear_relu_blocked_tn", 256, 1, 128},
};

template <KernelVersion how>
class HandWrittenLayer final : public CudaUnfusedLayer {
 public:
  explicit HandWrittenLayer(const TaskProblem& problem)
      : CudaUnfusedLayer(problem),
        forward_(kernel(rectifies() ? names().forward : "linear_relu_blocked_finish")),
        nn_(kernel(names().nn)),
        tn_(kernel(names().tn)) {}

  std::vector<engine::Quantity> quantities() override {
    const cuda::Kernel& used = layer().direction == Direction::kForward ? forward_ : nn_;
    return cuda::launch_quantities(used, *device(), names().block_x * names().block_y);
  }

 protected:
  void plan() override {
    if constexpr (how == KernelVersion::kCoalesced) {
      std::vector<float> turned(layer().w.size());
      for (std::size_t o = 0; o < layer().outputs; ++o) {
        for (std::size_t i = 0; i < layer().inputs; ++i) {
          turned[i * layer().outputs + o] = layer().w[o * layer().inputs + i];
        }
      }
      transposed_ = uploaded<float>(turned);
    }
  }

  void queue(cuda::Stream& to) override { steps(to); }

 private:
  /// True for problems with a rectifier and no residual; most of these variants support no others.
  bool rectifies() const { return layer().activation == Activation::kRelu && !layer().residual; }
  static constexpr const KernelNames& names() { return kKernelNames[static_cast<std::size_t>(how)]; }

  /// Grid whose x dimension covers `fast`.
  static cuda::LaunchShape shape(unsigned fast, unsigned slow) {
    const unsigned tile = names().tile;
    return {.grid = {(fast + tile - 1) / tile, (slow + tile - 1) / tile}, .block = {names().block_x, names().block_y}};
  }

  void forward(cuda::Stream& to) override {
    const float *x = x_.pointer(), *b = bias();
    const float* w = how == KernelVersion::kCoalesced ? transposed_.pointer() : w_.pointer();
    float* y = y_.pointer();
    if constexpr (how == KernelVersion::kNaive || how == KernelVersion::kCoalesced) {
      forward_.launch(to, shape(out_width(), batch()), x, w, b, y, batch(), in_width(), out_width());
    } else if (rectifies()) {
      forward_.launch(to, shape(out_width(), batch()), x, w, b, y, batch(), out_width(), in_width());
    } else {
      const float* added = residual();
      forward_.launch(to, shape(out_width(), batch()), x, w, b, y, batch(), out_width(), in_width(), added,
                      static_cast<int>(layer().activation));
    }
  }

  void product(cuda::Stream& to, const float* a, bool turned, const float* b, float* out, unsigned rows,
               unsigned columns, unsigned depth) override {
    cuda::Kernel& with = turned ? tn_ : nn_;
    if constexpr (how == KernelVersion::kNaive) {
      with.launch(to, shape(rows, columns), a, b, out, rows, columns, depth);
    } else if constexpr (how == KernelVersion::kCoalesced) {
      with.launch(to, shape(columns, rows), a, b, out, rows, columns, depth);
    } else {
      const float* no_bias = nullptr;
      with.launch(to, shape(columns, rows), a, b, no_bias, out, rows, columns, depth);
    }
  }

  cuda::Kernel forward_, nn_, tn_;
  cuda::DeviceBuffer<float> transposed_;
};

}  // namespace

std::vector<engine::TaskVariant> hand_written_cuda_variants() {
  return {
      {.id = "cuda-naive",
       .title = "One thread per output",
       .changes = "one thread per output; neighbouring threads read distant rows of W",
       .builds_on = "",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/plain.cu",
       .estimate_bytes = cuda_bytes,
       .make = make<HandWrittenLayer<KernelVersion::kNaive>>,
       .refuses = rectifier_only_refusal,
       .unavailable = cuda_unavailable},
      {.id = "cuda-coalesced",
       .title = "One thread per output, coalesced",
       .changes =
           "neighbouring threads read neighbouring addresses; the forward pass uses a copy of W transposed at set-up",
       .builds_on = "cuda-naive",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/plain.cu",
       .estimate_bytes = cuda_bytes,
       .make = make<HandWrittenLayer<KernelVersion::kCoalesced>>,
       .refuses = rectifier_only_refusal,
       .unavailable = cuda_unavailable},
      {.id = "cuda-tiled",
       .title = "Tiles in shared memory",
       .changes = "tiles of 32 x 32 are staged in shared memory",
       .builds_on = "cuda-coalesced",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/tiled.cu",
       .estimate_bytes = cuda_bytes,
       .make = make<HandWrittenLayer<KernelVersion::kTiled>>,
       .refuses = rectifier_only_refusal,
       .unavailable = cuda_unavailable},
      {.id = "cuda-blocked",
       .title = "Blocks in registers",
       .changes =
           "8 x 8 outputs per thread in registers; the next tiles are copied while the current ones are multiplied",
       .builds_on = "cuda-tiled",
       .device = "cuda",
       .precision = "fp32",
       .source = "kernels/linear_relu/blocked.cu",
       .estimate_bytes = cuda_bytes,
       .make = make<HandWrittenLayer<KernelVersion::kBlocked>>,
       .refuses = forward_only_refusal,
       .unavailable = cuda_unavailable},
  };
}

}  // namespace bb::linear_relu
