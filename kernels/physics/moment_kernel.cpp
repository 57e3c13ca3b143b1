#include "moment_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace bb::physics {
namespace {

constexpr double kThreePointLimit = 0.5;  // above this variance a sampled Gaussian is accurate
constexpr double kTailSigmas = 6.5;       // truncation of the sampled Gaussian: 1e-10 of the content

MomentKernel three_point(int base, double f, double second) {
  return {base - 1, {0.5 * (second - f), 1.0 - second, 0.5 * (second + f)}};
}

MomentKernel sampled_gaussian(double mean, double variance) {
  const double sigma = std::sqrt(variance);
  const int first = static_cast<int>(std::floor(mean - kTailSigmas * sigma));
  const int last = static_cast<int>(std::ceil(mean + kTailSigmas * sigma));
  MomentKernel k{first, std::vector<double>(static_cast<std::size_t>(last - first + 1))};
  for (int i = first; i <= last; ++i) {
    const double d = (i - mean) / sigma;
    k.weights[static_cast<std::size_t>(i - first)] = std::exp(-0.5 * d * d);
  }
  // Multiply by a + b d + c d² so that moments 0, 1, 2 of d = (i - mean)/σ are 1, 0, 1.
  double m[5] = {};
  for (int i = first; i <= last; ++i) {
    const double d = (i - mean) / sigma;
    double p = k.weights[static_cast<std::size_t>(i - first)];
    for (double& moment : m) {
      moment += p;
      p *= d;
    }
  }
  // Solve the symmetric 3x3 Hankel system by Cramer's rule.
  const auto det3 = [](double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  };
  const double det = det3(m[0], m[1], m[2], m[1], m[2], m[3], m[2], m[3], m[4]);
  const double a = det3(1, m[1], m[2], 0, m[2], m[3], 1, m[3], m[4]) / det;
  const double b = det3(m[0], 1, m[2], m[1], 0, m[3], m[2], 1, m[4]) / det;
  const double c = det3(m[0], m[1], 1, m[1], m[2], 0, m[2], m[3], 1) / det;
  for (int i = first; i <= last; ++i) {
    const double d = (i - mean) / sigma;
    k.weights[static_cast<std::size_t>(i - first)] *= a + b * d + c * d * d;
  }
  return k;
}

}  // namespace

MomentKernel moment_kernel(double mean, double variance) {
  if (!(variance >= 0.0) || !std::isfinite(mean) || !std::isfinite(variance)) {
    throw std::invalid_argument("moment_kernel: mean and variance must be finite, variance >= 0");
  }
  const double base = std::round(mean);
  const double f = mean - base;
  if (f == 0.0 && variance == 0.0) return {static_cast<int>(base), {1.0}};
  if (variance >= kThreePointLimit) return sampled_gaussian(mean, variance);
  // Three points about the nearest cell; w(±1) >= 0 asks for a second moment of at least |f|.
  return three_point(static_cast<int>(base), f, std::max(variance + f * f, std::abs(f)));
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
  // A float holds multiples of 2^-24 up to 1 and multiples of 2^-23 up to 2.
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
