#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "transport/model/index.hpp"
#include "transport/secondaries/sweep_ops.hpp"

namespace bb::transport {

/// Reach of five taps, in bins on either side of a shift.
inline constexpr int kReach = 2;

/// Rows of bins with padding for the reach of a step at both ends. The padding is zero.
class BinRows {
 public:
  BinRows(int rows, int bins)
      : stride_((bins + kBinGroup - 1) / kBinGroup * kBinGroup + 2 * kBinPad), values_(u(rows) * u(stride_), 0.0) {}
  double* row(int k = 0) { return values_.data() + u(k) * u(stride_) + kBinPad; }
  const double* row(int k = 0) const { return values_.data() + u(k) * u(stride_) + kBinPad; }
  int stride() const { return stride_; }
  int rows() const { return static_cast<int>(values_.size()) / stride_; }
  void clear() { std::ranges::fill(values_, 0.0); }

 private:
  int stride_;
  std::vector<double> values_;
};

/// Weights of five bins around a shift down by `a` bins, at most a half. Mean, variance, skewness and kurtosis are
/// those of a Gaussian of variance `v`.
inline std::array<double, 2 * kReach + 1> tap_weights(double a, double v) {
  const double square = a * a;
  const double m2 = v + square, m3 = a * (square + 3.0 * v), m4 = square * square + 6.0 * square * v + 3.0 * v * v;
  return {(m4 - m2 - 2.0 * (m3 - a)) / 24.0, (4.0 * m2 - m4 - 4.0 * a + m3) / 6.0, 1.0 - (5.0 * m2 - m4) / 4.0,
          (4.0 * m2 - m4 + 4.0 * a - m3) / 6.0, (m4 - m2 + 2.0 * (m3 - a)) / 24.0};
}

}  // namespace bb::transport
