#pragma once

#include <memory>
#include <string>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Reason why cuBLAS cannot be used here, in one sentence; "" if it can.
std::string cublas_unavailable();

/// Workspace size that NVIDIA recommends for Hopper; older devices need less.
inline constexpr std::size_t kCublasWorkspace_bytes = std::size_t{32} << 20;

/// Storage of an operand of a row-major product: as is, or transposed.
enum class OperandOrder { kAsIs, kTransposed };

/// A cuBLAS handle of the current device. Used by one thread at a time.
class Cublas {
 public:
  /// Throws "unsupported" with the reason if there is no cuBLAS.
  Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// Queues C = A B, all row-major: m x k by k x n. A and B have the type `inputs`; C and sums are in FP32.
  void multiply(Stream& stream, int m, int n, int k, const void* a, const void* b, float* c, api::DataType inputs,
                api::CublasCompute compute);

  /// Allocates a workspace, so that product() can be captured on `stream`. The library cannot allocate a workspace
  /// during a capture.
  void reserve(Stream& stream);
  /// Queues out[rows][columns] = A[rows][depth] B[depth][columns] in FP32, all row-major; a transposed operand is stored
  /// as [depth][rows] or [columns][depth].
  void product(Stream& stream, const float* a, OperandOrder a_stored, const float* b, OperandOrder b_stored, float* out,
               int rows, int columns, int depth);

 private:
  void check(api::CublasStatus status, const char* call) const;

  const api::CublasApi& api_;
  api::CublasHandle handle_ = nullptr;
  DeviceBuffer<unsigned char> workspace_;
};

/// Reason why cuBLASLt cannot be used here, in one sentence; "" if it can.
std::string cublaslt_unavailable();

/// A row-major product out[rows][columns] = A B with an epilogue, in the form that cuBLASLt needs.
struct LtProblem {
  int rows = 0, columns = 0, depth = 0;
  OperandOrder a_stored = OperandOrder::kAsIs, b_stored = OperandOrder::kAsIs;
  api::CublasCompute compute = api::CublasCompute::kFp32;
  api::DataType in = api::DataType::kFp32;   // type of A and B
  api::DataType out = api::DataType::kFp32;  // type of the result and of the bias
  api::Epilogue epilogue = api::Epilogue::kDefault;
  const void* a = nullptr;
  const void* b = nullptr;
  void* result = nullptr;
  const void* added = nullptr;  // [rows][columns], added to the product before its epilogue; null for none
  void* bias = nullptr;         // [columns], read or written by the epilogue; [rows] for kBgradB
  void* mask = nullptr;         // bit mask [rows][mask_row_bytes(columns)]
};

/// Bytes per row of the bit mask that ReLU epilogues write and read: its rows are aligned to 128 bits.
std::size_t mask_row_bytes(int columns);

/// A product with a chosen algorithm: the fastest of the library's first suggestions, which are timed.
class LtProduct {
 public:
  /// Throws "unsupported" if the library has no algorithm for the problem.
  LtProduct(Stream& stream, const LtProblem& problem);
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;
  ~LtProduct();

  void run(Stream& stream);
  /// Number of the chosen suggestion, from 1; the library's own first choice is 1.
  int chosen_number() const { return taken_; }
  int suggestion_count() const { return suggested_; }

 private:
  api::CublasStatus queue(Stream& stream, const api::MatmulHeuristic& how);
  void release();

  const api::CublasLtApi& api_;
  LtProblem problem_;
  DeviceBuffer<unsigned char> workspace_;
  api::CublasLtHandle handle_ = nullptr;
  api::MatmulDesc desc_ = nullptr;
  api::MatrixLayout a_ = nullptr, b_ = nullptr, d_ = nullptr;
  api::MatmulHeuristic chosen_{};
  int taken_ = 0, suggested_ = 0;
};

}  // namespace bb::cuda
