#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Why cuSPARSE cannot be used here, in one sentence; "" when it can.
std::string cusparse_unavailable();

/// Storage order of a matrix: row after row, or column after column.
enum class SparseFormat { kCsr, kCsc };

/// y = A x by cuSPARSE: a square matrix in FP32 with 32-bit indices, ready to be multiplied. The arrays belong
/// to the caller and outlive it. Used by one thread at a time.
class CusparseProduct {
 public:
  struct Arrays {
    std::int64_t rows, entries;
    void* begin;    // rows + 1
    void* indices;  // columns of CSR, rows of CSC
    void* values;
    void* x;
    void* y;
  };
  /// Throws "unsupported" with the reason where there is no cuSPARSE.
  CusparseProduct(const std::shared_ptr<Device>& device, const Arrays& arrays,
                  SparseFormat format = SparseFormat::kCsr);
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;
  ~CusparseProduct();

  /// Queues the product.
  void run(Stream& stream);

 private:
  void check(api::CusparseStatus status, const char* call) const;
  void close();

  const api::CusparseApi& api_;
  api::CusparseHandle handle_ = nullptr;
  api::CusparseMatrix matrix_ = nullptr;
  api::CusparseVector x_ = nullptr, y_ = nullptr;
  DeviceBuffer<unsigned char> scratch_;
};

}  // namespace bb::cuda
