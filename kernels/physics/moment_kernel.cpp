#include "moment_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace bb::physics {

MomentKernel moment_kernel(double mean, double variance) {
  if (!(variance >= 0.0) || !std::isfinite(mean) || !std::isfinite(variance)) {
    throw std::invalid_argument("moment_kernel: mean and variance must be finite, variance >= 0");
  }
  return moment_kernel(MomentTaps(mean, variance));
}

MomentKernel moment_kernel(const MomentTaps& taps) {
  MomentKernel k{taps.first, std::vector<double>(static_cast<std::size_t>(taps.count))};
  for (int i = 0; i < taps.count; ++i) k.weights[static_cast<std::size_t>(i)] = taps.weight(i);
  return k;
}

MomentKernel two_point_kernel(double mean) {
  const double floor_mean = std::floor(mean);
  const double f = mean - floor_mean;
  if (f == 0.0) return {static_cast<int>(floor_mean), {1.0}};
  return {static_cast<int>(floor_mean), {1.0 - f, f}};
}

MomentKernel convolve(const MomentKernel& a, const MomentKernel& b) {
  MomentKernel out{a.first + b.first, std::vector<double>(a.weights.size() + b.weights.size() - 1, 0.0)};
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    for (std::size_t j = 0; j < b.weights.size(); ++j) out.weights[i + j] += a.weights[i] * b.weights[j];
  }
  return out;
}

void quantise(std::span<double> weights) {
  // Floats represent multiples of 2^-24 up to 1, and multiples of 2^-23 up to 2, without rounding.
  for (const double unit : {0x1p-24, 0x1p-23}) {
    double sum = 0.0;
    bool fits = true;
    for (double& w : weights) {
      w = std::round(w / unit) * unit;
      sum += w;
    }
    *std::max_element(weights.begin(), weights.end()) += 1.0 - sum;
    for (const double w : weights) fits = fits && std::abs(w) <= 1.0;
    if (fits) return;
  }
}

}  // namespace bb::physics
