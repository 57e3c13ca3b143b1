#pragma once

#include <cmath>

#include "hd.hpp"

namespace bb::physics {

/// A moment_kernel that is computed tap by tap without storage: `weight(i)` is the weight of cell `first` + i. The mean
/// and the variance must be finite, the variance not negative.
class MomentTaps {
 public:
  static constexpr double kThreePointLimit = 0.5;  // above this variance a sampled Gaussian is accurate
  static constexpr double kTailSigmas = 6.5;       // truncation of the sampled Gaussian: 1e-10 of the content

  int first = 0, count = 1;

  BB_HD MomentTaps(double mean, double variance) {
    const double base = round(mean);
    const double f = mean - base;
    first = static_cast<int>(base);
    if (f == 0.0 && variance == 0.0) return;
    if (variance >= kThreePointLimit) {
      sample(mean, variance);
      return;
    }
    // Three points around the nearest cell; w(±1) >= 0 requires a second moment of at least |f|.
    const double own = variance + f * f, least = f < 0.0 ? -f : f;
    const double second = own < least ? least : own;
    --first;
    count = 3;
    three_[0] = 0.5 * (second - f);
    three_[1] = 1.0 - second;
    three_[2] = 0.5 * (second + f);
  }

  BB_HD int last() const { return first + count - 1; }

  BB_HD_CALLED double weight(int i) const {
    if (count == 1) return 1.0;
    if (sigma_ == 0.0) return three_[i];
    const double d = (first + i - mean_) / sigma_;
    return exp(-0.5 * d * d) * (three_[0] + three_[1] * d + three_[2] * d * d);
  }

 private:
  BB_HD static double det3(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  }

  BB_HD_CALLED void sample(double mean, double variance) {
    mean_ = mean;
    sigma_ = sqrt(variance);
    first = static_cast<int>(floor(mean - kTailSigmas * sigma_));
    count = static_cast<int>(ceil(mean + kTailSigmas * sigma_)) - first + 1;
    // Multiply the samples by a + b d + c d² so that moments 0, 1, 2 of d = (i - mean)/σ are 1, 0, 1.
    double m[5] = {};
    for (int i = first; i < first + count; ++i) {
      const double d = (i - mean) / sigma_;
      double p = exp(-0.5 * d * d);
      for (double& moment : m) {
        moment += p;
        p *= d;
      }
    }
    // Solve the symmetric 3x3 Hankel system by Cramer's rule.
    const double det = det3(m[0], m[1], m[2], m[1], m[2], m[3], m[2], m[3], m[4]);
    three_[0] = det3(1, m[1], m[2], 0, m[2], m[3], 1, m[3], m[4]) / det;
    three_[1] = det3(m[0], 1, m[2], m[1], 0, m[3], m[2], 1, m[4]) / det;
    three_[2] = det3(m[0], m[1], 1, m[1], m[2], 0, m[2], m[3], 1) / det;
  }

  double three_[3] = {};             // weights, or a, b, c of a sampled Gaussian
  double mean_ = 0.0, sigma_ = 0.0;  // of the sampled Gaussian
};

}  // namespace bb::physics
