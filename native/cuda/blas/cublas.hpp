#pragma once

#include <memory>

#include "../device/buffer.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Why cuBLAS cannot be used here, one sentence; "" when it can.
std::string cublas_unavailable();

/// How an operand of a row-major product is stored: as it is multiplied, or transposed.
enum class Stored { kAsIs, kTransposed };

/// cuBLAS on one stream, with a workspace of its own so that its calls can be captured.
class Cublas {
 public:
  explicit Cublas(Stream& stream);
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// out[rows][columns] = A[rows][depth] B[depth][columns] in FP32, all row-major; a transposed operand is stored
  /// as [depth][rows] or [columns][depth]. Throws "device".
  void product(const float* a, Stored a_stored, const float* b, Stored b_stored, float* out, int rows, int columns,
               int depth);

 private:
  const api::CublasApi& api_;
  DeviceBuffer<unsigned char> workspace_;
  api::CublasHandle handle_ = nullptr;
};

}  // namespace bb::cuda
