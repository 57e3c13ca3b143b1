#pragma once

#include <memory>
#include <string>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Why cuBLAS cannot be used here, in one sentence; "" when it can.
std::string cublas_unavailable();

/// Workspace size, as NVIDIA advises for Hopper; older devices ask for less.
inline constexpr std::size_t kCublasWorkspace_bytes = std::size_t{32} << 20;

/// Storage of an operand of a row-major product: as multiplied, or transposed.
enum class Stored { kAsIs, kTransposed };

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

  /// Allocates a workspace, so that product() can be captured on `stream`: the library's own cannot be made then.
  void reserve(Stream& stream);
  /// Queues out[rows][columns] = A[rows][depth] B[depth][columns] in FP32, all row-major; a transposed operand is stored
  /// as [depth][rows] or [columns][depth].
  void product(Stream& stream, const float* a, Stored a_stored, const float* b, Stored b_stored, float* out, int rows,
               int columns, int depth);

 private:
  void check(api::CublasStatus status, const char* call) const;

  const api::CublasApi& api_;
  api::CublasHandle handle_ = nullptr;
  DeviceBuffer<unsigned char> workspace_;
};

}  // namespace bb::cuda
