#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Reason why cuSPARSE cannot be used here, in one sentence; "" if it can.
std::string cusparse_unavailable();

/// Storage order of a matrix: row after row, or column after column.
enum class SparseFormat { kCsr, kCsc };

/// y = A x by cuSPARSE for a square matrix in FP32 with 32-bit indices. The arrays belong to the caller and must
/// outlive this object. Used by one thread at a time.
class CusparseProduct {
 public:
  struct Arrays {
    std::int64_t rows, entries;
    void* begin;    // rows + 1 values
    void* indices;  // columns for CSR, rows for CSC
    void* values;
    void* x;
    void* y;
  };
  /// Throws "unsupported" with the reason if there is no cuSPARSE.
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

/// C = A A by cuSPARSE (SpGEMM): square CSR matrices in FP32 with 32-bit indices. A's arrays belong to the caller and
/// must outlive this object. Used by one thread at a time.
class CusparseSquare {
 public:
  struct Arrays {
    std::int64_t rows, entries;
    void* begin;  // rows + 1 values
    void* columns;
    void* values;
  };
  /// C, copied to the host.
  struct Result {
    std::vector<unsigned> begin, columns;
    std::vector<float> values;
  };

  /// Throws "unsupported" with the reason if there is no cuSPARSE.
  CusparseSquare(const std::shared_ptr<Device>& device, const Arrays& arrays);
  CusparseSquare(const CusparseSquare&) = delete;
  CusparseSquare& operator=(const CusparseSquare&) = delete;
  ~CusparseSquare();

  /// Finds the entries of the product again and computes it. Waits for the device.
  void run_new_pattern(Stream& stream);
  /// Finds the entries of C once; run_same_pattern() then computes only their values.
  void store_pattern(Stream& stream);
  void run_same_pattern(Stream& stream);

  /// Returns the result of the last run; waits for it.
  Result result(Stream& stream) const;

 private:
  void check(api::CusparseStatus status, const char* call) const;
  void close();
  void open_product();
  void close_product();
  /// Returns a block of at least `bytes` that is reused between runs.
  void* scratch(std::size_t which, std::size_t bytes);
  /// Allocates C with the number of entries that the library found.
  void allocate_result();

  const api::CusparseApi& api_;
  std::shared_ptr<Device> device_;
  Arrays arrays_;
  api::CusparseHandle handle_ = nullptr;
  api::CusparseMatrix a_ = nullptr, c_ = nullptr;
  api::CusparseSpgemm product_ = nullptr;
  std::vector<DeviceBuffer<unsigned char>> scratch_;
  DeviceBuffer<unsigned> begin_, columns_;
  DeviceBuffer<float> values_;
  std::size_t entries_ = 0;
};

}  // namespace bb::cuda
