#pragma once

#include <memory>
#include <string>

#include "../device/stream.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Why cuBLAS cannot be used here, in one sentence; "" when it can.
std::string cublas_unavailable();

/// A cuBLAS handle of the current device. Used by one thread at a time.
class Cublas {
 public:
  /// Throws "unsupported" with the reason where there is no cuBLAS.
  Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// Queues C = A B, all row-major: m x k by k x n. A and B of `inputs`, C and sums in FP32.
  void multiply(Stream& stream, int m, int n, int k, const void* a, const void* b, float* c, api::DataType inputs,
                api::CublasCompute compute);

 private:
  void check(api::CublasStatus status, const char* call) const;

  const api::CublasApi& api_;
  api::CublasHandle handle_ = nullptr;
};

}  // namespace bb::cuda
