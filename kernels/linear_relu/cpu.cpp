#include <algorithm>

#include "cpu_blas.hpp"
#include "cpu_layer.hpp"
#include "make.hpp"
#include "product_tile.hpp"

namespace bb::linear_relu {
namespace {

using engine::TaskProblem;

/// Evaluates the formula as written, row by row in FP64.
class PlainLayer final : public CpuLayer<double> {
 public:
  using CpuLayer::CpuLayer;

 protected:
  void product(const double* a, StorageOrder a_order, const double* b, StorageOrder b_order, double* out,
               std::size_t rows, std::size_t columns, std::size_t depth) override {
    pool().run(static_cast<int>(rows), [&](int task, int) {
      const auto m = static_cast<std::size_t>(task);
      stop_if_cancelled();
      for (std::size_t n = 0; n < columns; ++n) {
        double sum = 0.0;
        for (std::size_t k = 0; k < depth; ++k) {
          sum += a[a_order == StorageOrder::kAsIs ? m * depth + k : k * rows + m] *
                 b[b_order == StorageOrder::kAsIs ? k * columns + n : n * depth + k];
        }
        out[m * columns + n] = sum;
      }
    });
  }
};

/// Multiplies packed tiles and keeps blocks of the result in registers.
class BlockedLayer final : public CpuLayer<float> {
 public:
  explicit BlockedLayer(const TaskProblem& problem) : CpuLayer(problem) {
    for (int lane = 0; lane < pool().lanes(); ++lane) packed_.emplace_back(kPackedFloats);
  }

 protected:
  void product(const float* a, StorageOrder a_order, const float* b, StorageOrder b_order, float* out, std::size_t rows,
               std::size_t columns, std::size_t depth) override {
    const auto view = [](const float* at, StorageOrder order, std::size_t stored_rows,
                         std::size_t stored_columns) -> View {
      return order == StorageOrder::kAsIs ? View{at, stored_columns, 1} : View{at, 1, stored_rows};
    };
    const Product whole{view(a, a_order, rows, depth), view(b, b_order, depth, columns), out, rows, columns, depth};
    const std::size_t across = (columns + kTileColumns - 1) / kTileColumns;
    const std::size_t down = (rows + kTileRows - 1) / kTileRows;
    pool().run(static_cast<int>(across * down), [&](int task, int lane) {
      stop_if_cancelled();
      const auto tile = static_cast<std::size_t>(task);
      product_tile()(whole, tile / across * kTileRows, tile % across * kTileColumns,
                     packed_[static_cast<std::size_t>(lane)].data());
    });
  }

 private:
  std::vector<std::vector<float>> packed_;
};

/// Calls the BLAS library of this machine, with the library's default number of threads.
class BlasLayer final : public CpuLayer<float> {
 public:
  using CpuLayer::CpuLayer;

 protected:
  void product(const float* a, StorageOrder a_order, const float* b, StorageOrder b_order, float* out, std::size_t rows,
               std::size_t columns, std::size_t depth) override {
    constexpr int kRowMajor = 101, kNo = 111, kYes = 112;  // the index type of the BLAS interface in C
    const auto i = [](std::size_t value) { return static_cast<int>(value); };
    blas().sgemm(kRowMajor, a_order == StorageOrder::kAsIs ? kNo : kYes, b_order == StorageOrder::kAsIs ? kNo : kYes,
                 i(rows), i(columns), i(depth), 1.0f, a, i(a_order == StorageOrder::kAsIs ? depth : rows), b,
                 i(b_order == StorageOrder::kAsIs ? columns : depth), 0.0f, out, i(columns));
  }
};

// Assumed multiply-adds per second and core of the plain variant. It is meant for checks only, so problems that would
// exceed the time limit are rejected.
constexpr double kPlainPerSecond = 1e9, kMaxPlainSeconds = 20.0;

std::string duration_refusal(const TaskProblem& problem) {
  if (std::string more = forward_only_refusal(problem); !more.empty()) return more;
  const double seconds = multiply_adds(problem) / kPlainPerSecond;
  if (seconds <= kMaxPlainSeconds) return "";
  return "would need about " + std::to_string(static_cast<long>(seconds)) + " s on one core for every repetition";
}

double bytes_in_fp64(const TaskProblem& problem) { return 3.0 * matrix_bytes(problem); }
double bytes_in_fp32(const TaskProblem& problem) { return 2.0 * matrix_bytes(problem); }
std::string blas_missing() { return blas().reason; }

}  // namespace

std::vector<engine::TaskVariant> cpu_variants() {
  return {
      {.id = "cpu-fp64",
       .title = "Formula in FP64",
       .changes = "a single sum at a time, in FP64",
       .builds_on = "",
       .device = "cpu",
       .precision = "fp64",
       .source = "kernels/linear_relu/cpu.cpp",
       .estimate_bytes = bytes_in_fp64,
       .make = make<PlainLayer>,
       .refuses = duration_refusal},
      {.id = "cpu-blocked",
       .title = "Packed tiles, blocks in registers",
       .changes = "FP32; packed tiles that fit the caches, blocks of the result in vector registers",
       .builds_on = "cpu-fp64",
       .device = "cpu",
       .precision = "fp32",
       .source = "kernels/linear_relu/product_tile.simd.cpp",
       .estimate_bytes = bytes_in_fp32,
       .make = make<BlockedLayer>,
       .refuses = forward_only_refusal},
      {.id = "cpu-blas",
       .title = "BLAS of this machine",
       .changes = "the product is computed by the installed BLAS",
       .builds_on = "cpu-blocked",
       .device = "cpu",
       .precision = "fp32",
       .source = "kernels/linear_relu/cpu.cpp",
       .estimate_bytes = bytes_in_fp32,
       .make = make<BlasLayer>,
       .refuses = forward_only_refusal,
       .unavailable = blas_missing},
  };
}

}  // namespace bb::linear_relu
