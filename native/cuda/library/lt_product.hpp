#pragma once

#include <string>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"
#include "cublas.hpp"

namespace bb::cuda {

/// Why cuBLASLt cannot be used here, one sentence; "" when it can.
std::string cublaslt_unavailable();

/// A row-major product out[rows][columns] = A B with an epilogue, as cuBLASLt takes it.
struct LtProblem {
  int rows = 0, columns = 0, depth = 0;
  Stored a_stored = Stored::kAsIs, b_stored = Stored::kAsIs;
  api::CublasCompute compute = api::CublasCompute::kFp32;
  api::DataType in = api::DataType::kFp32;   // of A and B
  api::DataType out = api::DataType::kFp32;  // of the result and of the bias
  api::Epilogue epilogue = api::Epilogue::kDefault;
  const void* a = nullptr;
  const void* b = nullptr;
  void* result = nullptr;
  const void* added = nullptr;  // [rows][columns], to the product before its epilogue; null for none
  void* bias = nullptr;         // [columns], read or written by the epilogue; of kBgradB [rows]
  void* mask = nullptr;         // [rows][mask_row_bytes(columns)] of bits
};

/// Bytes of a row of the bit mask that ReLU epilogues write and read: its rows begin at multiples of 128 bits.
std::size_t mask_row_bytes(int columns);

/// One product, planned: the fastest of the library's first suggestions, which were timed.
class LtProduct {
 public:
  /// Throws "unsupported" where the library has no way to do it.
  LtProduct(Stream& stream, const LtProblem& problem);
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;
  ~LtProduct();

  void run(Stream& stream);
  /// Which of how many suggestions was taken, from 1; the library's own first choice is 1.
  int taken() const { return taken_; }
  int suggested() const { return suggested_; }

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
