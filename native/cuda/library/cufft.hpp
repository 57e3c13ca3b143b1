#pragma once

#include <memory>
#include <string>

#include "../device/stream.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Why cuFFT cannot be used here, in one sentence; "" when it can.
std::string cufft_unavailable();

/// Transforms of many columns of an array [row][column] in FP32, there and back, by cuFFT. Nothing is normalised. Used by
/// one thread at a time.
class CufftColumns {
 public:
  /// Throws "unsupported" with the reason where there is no cuFFT.
  CufftColumns(const std::shared_ptr<Device>& device, int rows, int columns);
  CufftColumns(const CufftColumns&) = delete;
  CufftColumns& operator=(const CufftColumns&) = delete;
  ~CufftColumns();

  /// Rows of the complex array, [row][column] of pairs.
  int frequencies() const { return rows_ / 2 + 1; }
  /// Queues a transform of the real array, which stays as it is.
  void forward(Stream& stream, float* real, float* complex);
  /// Queues the way back; what the complex array holds is lost.
  void backward(Stream& stream, float* complex, float* real);

 private:
  void check(api::CufftStatus status, const char* call) const;
  void close();

  const api::CufftApi& api_;
  int rows_;
  api::CufftPlan forward_ = 0, backward_ = 0;
  bool has_forward_ = false, has_backward_ = false;
};

}  // namespace bb::cuda
