#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// C = A A by cuSPARSE (SpGEMM): square CSR matrices in FP32 with 32-bit indices. A's arrays belong to the caller and
/// outlive it. Used by one thread at a time.
class CusparseSquare {
 public:
  struct Arrays {
    std::int64_t rows, entries;
    void* begin;  // rows + 1
    void* columns;
    void* values;
  };
  /// C on the host.
  struct Result {
    std::vector<unsigned> begin, columns;
    std::vector<float> values;
  };

  /// Throws "unsupported" with the reason where there is no cuSPARSE.
  CusparseSquare(const std::shared_ptr<Device>& device, const Arrays& arrays);
  CusparseSquare(const CusparseSquare&) = delete;
  CusparseSquare& operator=(const CusparseSquare&) = delete;
  ~CusparseSquare();

  /// The product as for a new pattern: its entries are found again. Waits for the device.
  void run_anew(Stream& stream);
  /// Finds the entries of C, once; run_kept() then computes their values.
  void keep_pattern(Stream& stream);
  void run_kept(Stream& stream);

  /// Result of the last run; waits for it.
  Result result(Stream& stream) const;

 private:
  void check(api::CusparseStatus status, const char* call) const;
  void close();
  void open_product();
  void close_product();
  /// At least `bytes`, reused from run to run.
  void* scratch(std::size_t which, std::size_t bytes);
  /// Room for C's entries, as many as the library found.
  void make_room();

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
