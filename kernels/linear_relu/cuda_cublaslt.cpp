#include <bit>
#include <memory>
#include <optional>
#include <type_traits>

#include "cuda/library/cublas.hpp"
#include "cuda_layer.hpp"
#include "make.hpp"

namespace bb::linear_relu {
namespace {

using cuda::LtProblem;
using cuda::LtProduct;
using cuda::OperandOrder;
using cuda::api::CublasCompute;
using cuda::api::DataType;
using cuda::api::Epilogue;
using engine::TaskProblem;

Epilogue plain_epilogue(Activation activation, bool biased) {
  switch (activation) {
    case Activation::kRelu:
      return biased ? Epilogue::kReluBias : Epilogue::kRelu;
    case Activation::kGelu:
      return biased ? Epilogue::kGeluBias : Epilogue::kGelu;
    case Activation::kNone:
      return biased ? Epilogue::kBias : Epilogue::kDefault;
  }
  return Epilogue::kDefault;
}

template <Arithmetic arithmetic>
using Element = std::conditional_t<arithmetic == Arithmetic::kBf16, std::uint16_t, float>;

/// Computes products by cuBLASLt, with bias and activation as epilogues of the products. `kMask`: forward also writes
/// the bit mask that a backward pass needs.
template <Arithmetic arithmetic, bool kMask>
class LtLayer final : public CudaLayer<Element<arithmetic>> {
  using T = Element<arithmetic>;
  using Base = CudaLayer<T>;

 public:
  explicit LtLayer(const TaskProblem& problem) : Base(problem, arithmetic), pointwise_(this->module()) {}

  engine::CheckReport compare(const engine::TaskResults& results) override {
    engine::CheckReport report = Base::compare(results);
    if constexpr (kMask) {
      std::size_t set = 0, positive = 0;
      for (const unsigned char byte : mask_.read(this->stream())) set += static_cast<std::size_t>(std::popcount(byte));
      for (const T value : this->y_.read(this->stream())) {
        if constexpr (std::is_same_v<T, float>) {
          positive += value > 0.0f ? 1 : 0;
        } else {
          positive += bf16_value(value) > 0.0f ? 1 : 0;
        }
      }
      const double off = set > positive ? static_cast<double>(set - positive) : static_cast<double>(positive - set);
      report.checks.push_back({"bits", "Mask bits that do not belong to positive outputs", off, 0.0});
    }
    return report;
  }

  /// Times the product without its epilogue, with an algorithm chosen by the same rules, to report the cost of the
  /// epilogue.
  std::vector<engine::Quantity> quantities() override {
    if (this->layer().direction == Direction::kBackward) return {};
    LtProblem bare = products_.front().problem;
    bare.epilogue = Epilogue::kDefault;
    bare.bias = bare.mask = nullptr;
    LtProduct alone(this->stream(), bare);
    const double with = seconds(*products_.front().plan), without = seconds(alone);
    return {{"gemm", "Product alone", without * 1e6, "µs"},
            {"epilogue", "Fused epilogue compared with the product alone", with / without, "×"},
            {"taken", "Suggestion taken", static_cast<double>(products_.front().plan->chosen_number()), ""},
            {"suggested", "Suggestions timed", static_cast<double>(products_.front().plan->suggestion_count()), ""}};
  }

 protected:
  void plan() override {
    const auto rows = static_cast<int>(this->batch()), depth = static_cast<int>(this->in_width()),
               columns = static_cast<int>(this->out_width());
    switch (this->layer().direction) {
      case Direction::kForward: {
        LtProblem forward =
            problem(rows, columns, depth, this->x_, OperandOrder::kAsIs, this->w_, OperandOrder::kTransposed);
        forward.result = this->y_.pointer();
        forward.bias = this->bias();
        if constexpr (kMask) forward.mask = mask(rows, columns);
        const bool biased = forward.bias != nullptr;
        forward.added = this->residual();
        forward.epilogue = kMask ? (biased ? Epilogue::kReluAuxBias : Epilogue::kReluAux)
                                 : plain_epilogue(this->layer().activation, biased);
        add(forward);
        break;
      }
      case Direction::kBackward: {
        LtProblem dx = problem(rows, depth, columns, this->g_, OperandOrder::kAsIs, this->w_, OperandOrder::kAsIs);
        dx.result = this->dx_.pointer();
        add(dx);
        LtProblem dw =
            problem(columns, depth, rows, this->g_, OperandOrder::kTransposed, this->x_, OperandOrder::kAsIs);
        dw.result = this->dw_.pointer();
        dw.bias = this->sums();
        if (dw.bias != nullptr) dw.epilogue = Epilogue::kBgradB;
        add(dw);
        break;
      }
      case Direction::kThrough: {
        LtProblem da = problem(rows, depth, columns, this->dy_, OperandOrder::kAsIs, this->w_, OperandOrder::kAsIs);
        da.result = this->dx_.pointer();
        da.mask = mask(rows, depth);
        write_mask(da.mask);
        da.bias = this->sums();
        da.epilogue = da.bias != nullptr ? Epilogue::kDreluBgrad : Epilogue::kDrelu;
        add(da);
        break;
      }
    }
  }

  void queue(cuda::Stream& to) override {
    if (this->layer().direction == Direction::kBackward) {
      if constexpr (std::is_same_v<T, float>) {
        float* no_sums = nullptr;
        pointwise_.gate(to, this->dy_.pointer(), this->gate_.pointer(), this->g_.pointer(), no_sums, this->batch(),
                        this->out_width());
      } else {
        pointwise_.gate_bf16(to, this->dy_.pointer(), this->gate_.pointer(), this->g_.pointer(), this->g_.size());
      }
    }
    for (const PlannedProduct& product : products_) product.plan->run(to);
  }

 private:
  struct PlannedProduct {
    LtProblem problem;
    std::unique_ptr<LtProduct> plan;
  };

  LtProblem problem(int rows, int columns, int depth, const cuda::DeviceBuffer<T>& a, OperandOrder a_stored,
                    const cuda::DeviceBuffer<T>& b, OperandOrder b_stored) const {
    const DataType type = std::is_same_v<T, float> ? DataType::kFp32 : DataType::kBf16;
    return {.rows = rows,
            .columns = columns,
            .depth = depth,
            .a_stored = a_stored,
            .b_stored = b_stored,
            .compute = arithmetic == Arithmetic::kTf32 ? CublasCompute::kFp32ByTf32 : CublasCompute::kFp32,
            .in = type,
            .out = type,
            .epilogue = Epilogue::kDefault,
            .a = a.pointer(),
            .b = b.pointer(),
            .result = nullptr,
            .added = nullptr,
            .bias = nullptr,
            .mask = nullptr};
  }

  void add(const LtProblem& problem) {
    products_.push_back({problem, std::make_unique<LtProduct>(this->stream(), problem)});
  }

  void* mask(int rows, int columns) {
    mask_ = this->template buffer<unsigned char>(static_cast<std::size_t>(rows) * cuda::mask_row_bytes(columns));
    mask_.fill_bytes(0, this->stream());
    return mask_.pointer();
  }

  /// Writes the bits of X > 0 in the library's layout: the mask of a rectifier applied to sign(X) (±1) times the
  /// identity. Applied to X itself, it would also set the bits of X = 0 and NaN.
  void write_mask(void* to) {
    const std::size_t n = this->layer().inputs;
    const auto value = [](float from) -> T {
      if constexpr (std::is_same_v<T, float>) {
        return from;
      } else {
        return bf16_bits(from);
      }
    };
    std::vector<T> one(n * n, value(0.0f)), sign(this->layer().x.size());
    for (std::size_t i = 0; i < n; ++i) one[i * n + i] = value(1.0f);
    for (std::size_t i = 0; i < sign.size(); ++i) sign[i] = value(this->layer().x[i] > 0.0f ? 1.0f : -1.0f);
    const auto unit = this->template uploaded<T>(one), signs = this->template uploaded<T>(sign);
    LtProblem copy = problem(static_cast<int>(this->batch()), static_cast<int>(n), static_cast<int>(n), signs,
                             OperandOrder::kAsIs, unit, OperandOrder::kTransposed);
    copy.result = this->dx_.pointer();
    copy.mask = to;
    copy.epilogue = Epilogue::kReluAux;
    LtProduct(this->stream(), copy).run(this->stream());
    this->stream().synchronize();
  }

  double seconds(LtProduct& product) {
    cuda::DeviceTimer timer(this->device());
    product.run(this->stream());
    return timer.seconds(this->stream(), nullptr, [&] {
      for (int i = 0; i < kTimings; ++i) product.run(this->stream());
    }) / kTimings;
  }

  Pointwise pointwise_;
  cuda::DeviceBuffer<unsigned char> mask_;
  std::vector<PlannedProduct> products_;
};

std::string cublaslt_missing() {
  const std::string device = cuda_unavailable();
  return device.empty() ? cuda::cublaslt_unavailable() : device;
}

std::string mask_refusal(const TaskProblem& problem) {
  if (activation_of(problem) != Activation::kRelu)
    return "this variant writes the mask of a ReLU; allowed: problem.activation = relu";
  return problem.word("direction") == "forward"
             ? ""
             : "this variant writes the mask in the forward pass; allowed: problem.direction = forward";
}

// Includes an identity matrix and the signs of X, from which write_mask() makes the mask of the previous layer.
double bytes(const TaskProblem& problem) {
  const double n = problem.number("inputs");
  return cuda_bytes(problem) + (problem.word("direction") == "through" ? 4.0 * n * (n + problem.number("batch")) : 0.0);
}

template <Arithmetic arithmetic, bool kMask>
engine::TaskVariant variant(const char* id, const char* title, const char* changes, const char* builds_on,
                            const char* precision) {
  engine::TaskVariant out{.id = id,
                          .title = title,
                          .changes = changes,
                          .builds_on = builds_on,
                          .device = "cuda",
                          .precision = precision,
                          .source = "kernels/linear_relu/cuda_cublaslt.cpp",
                          .estimate_bytes = bytes,
                          .make = make<LtLayer<arithmetic, kMask>>};
  out.refuses = kMask ? mask_refusal : forward_only_refusal;
  out.unavailable = cublaslt_missing;
  out.library = "cuBLASLt";
  out.automatic = arithmetic == Arithmetic::kFp32 && !kMask;
  return out;
}

}  // namespace

std::vector<engine::TaskVariant> cublaslt_variants() {
  return {
      variant<Arithmetic::kFp32, false>("cuda-lt-fp32", "cuBLASLt with fused epilogue, FP32",
                                        "bias, activation and their gradients in the epilogue of the product",
                                        "cuda-cublas", "fp32"),
      variant<Arithmetic::kFp32, true>("cuda-lt-fp32-mask", "With the mask for training, FP32",
                                       "also writes one bit per output for the backward pass", "cuda-lt-fp32", "fp32"),
      variant<Arithmetic::kTf32, false>("cuda-lt-tf32", "cuBLASLt with fused epilogue, TF32",
                                        "inputs rounded to 10 fraction bits, on tensor cores", "cuda-lt-fp32", "tf32"),
      variant<Arithmetic::kTf32, true>("cuda-lt-tf32-mask", "With the mask for training, TF32",
                                       "also writes one bit per output for the backward pass", "cuda-lt-tf32", "tf32"),
      variant<Arithmetic::kBf16, false>("cuda-lt-bf16", "cuBLASLt with fused epilogue, BF16",
                                        "inputs and outputs in BF16: half the traffic, and tensor cores at full rate",
                                        "cuda-lt-tf32", "bf16"),
      variant<Arithmetic::kBf16, true>("cuda-lt-bf16-mask", "With the mask for training, BF16",
                                       "also writes one bit per output for the backward pass", "cuda-lt-bf16", "bf16"),
  };
}

}  // namespace bb::linear_relu
