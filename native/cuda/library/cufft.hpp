#pragma once

#include <memory>
#include <string>

#include "../device/stream.hpp"
#include "../loader/libraries.hpp"

namespace bb::cuda {

/// Reason why cuFFT cannot be used here, in one sentence; "" if it can.
std::string cufft_unavailable();

/// Forward and inverse transforms of many columns of an array [row][column] in FP32, by cuFFT. Not normalised. Used by
/// one thread at a time.
class CufftColumns {
 public:
  /// Throws "unsupported" with the reason if there is no cuFFT.
  CufftColumns(const std::shared_ptr<Device>& device, int rows, int columns);
  CufftColumns(const CufftColumns&) = delete;
  CufftColumns& operator=(const CufftColumns&) = delete;
  ~CufftColumns();

  /// Number of rows of the complex array, [row][column] of pairs.
  int frequencies() const { return rows_ / 2 + 1; }
  /// Queues a transform of the real array, which is not changed.
  void forward(Stream& stream, float* real, float* complex);
  /// Queues the inverse transform, which overwrites the complex array.
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
