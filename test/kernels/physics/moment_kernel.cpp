#include "physics/moment_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"

using namespace bb::physics;

namespace {

struct Moments {
  double sum = 0, mean = 0, variance = 0, lowest = 1;
};

Moments moments(const MomentKernel& k) {
  Moments m;
  for (std::size_t i = 0; i < k.weights.size(); ++i) {
    m.sum += k.weights[i];
    m.mean += k.weights[i] * (k.first + static_cast<double>(i));
    m.lowest = std::min(m.lowest, k.weights[i]);
  }
  for (std::size_t i = 0; i < k.weights.size(); ++i) {
    const double d = k.first + static_cast<double>(i) - m.mean;
    m.variance += k.weights[i] * d * d;
  }
  return m;
}

constexpr double kVariances[] = {0,   1e-9, 1e-4, 0.003, 0.05, 0.11, 0.2, 0.2499, 0.25, 0.3,  0.4999,
                                 0.5, 0.51, 0.7,  1.0,   1.5,  2.0,  4.0, 10.0,   50.0, 400.0};

}  // namespace

TEST("moment kernel: sum and mean exact, weights >= 0, over means and variances") {
  for (const double variance : kVariances) {
    for (int i = -40; i <= 40; ++i) {
      const double mean = 7.0 * (i / 40.0) + 0.01 * i;
      const Moments m = moments(moment_kernel(mean, variance));
      CHECK_NEAR(m.sum, 1.0, 1e-12);
      CHECK_NEAR(m.mean, mean, 1e-10);
      CHECK(m.lowest >= 0.0);
    }
  }
}

TEST("moment kernel: variance exact if weights >= 0 allow it, otherwise that of a split over two cells") {
  for (const double variance : kVariances) {
    for (int i = -20; i <= 20; ++i) {
      const double f = i / 40.0;  // distance from the nearest cell
      const Moments m = moments(moment_kernel(3.0 + f, variance));
      const double wanted = std::max(variance, std::abs(f) - f * f);
      CHECK_NEAR(m.variance, wanted, 1e-10 * std::max(1.0, variance));
    }
  }
}

TEST("moment kernel: a shift by whole cells without spread is one weight") {
  for (const double mean : {-3.0, 0.0, 12.0}) {
    const MomentKernel k = moment_kernel(mean, 0.0);
    CHECK_EQ(k.first, static_cast<int>(mean));
    CHECK_EQ(k.weights.size(), 1u);
    CHECK_EQ(k.weights[0], 1.0);
  }
}

TEST("moment kernel: symmetric about a mean on a cell") {
  for (const double variance : kVariances) {
    const MomentKernel k = moment_kernel(0.0, variance);
    CHECK_EQ(k.first, -k.last());
    for (std::size_t i = 0; i < k.weights.size(); ++i) {
      CHECK_NEAR(k.weights[i], k.weights[k.weights.size() - 1 - i], 1e-15);
    }
  }
}

TEST("moment kernel: wide kernels are Gaussian") {
  const MomentKernel k = moment_kernel(0.3, 9.0);
  for (int i = k.first; i <= k.last(); ++i) {
    const double gauss = std::exp(-(i - 0.3) * (i - 0.3) / 18.0) / std::sqrt(18.0 * 3.14159265358979323846);
    CHECK_NEAR(k.weights[static_cast<std::size_t>(i - k.first)], gauss, 1e-9);
  }
}

TEST("moment kernel: rejects a negative variance and NaN") {
  CHECK_THROWS(moment_kernel(0.0, -1e-9), "variance >= 0");
  CHECK_THROWS(moment_kernel(NAN, 1.0), "finite");
  CHECK_THROWS(moment_kernel(0.0, INFINITY), "finite");
}

TEST("two-point kernel: mean exact, variance f(1-f)") {
  for (int i = -20; i <= 20; ++i) {
    const double mean = i * 0.37;
    const double f = mean - std::floor(mean);
    const Moments m = moments(two_point_kernel(mean));
    CHECK_NEAR(m.sum, 1.0, 1e-15);
    CHECK_NEAR(m.mean, mean, 1e-12);
    CHECK_NEAR(m.variance, f * (1.0 - f), 1e-12);
  }
}

TEST("convolution: means and variances add") {
  const MomentKernel k = convolve(two_point_kernel(1.3), moment_kernel(-2.0, 0.7));
  const Moments m = moments(k);
  CHECK_NEAR(m.sum, 1.0, 1e-12);
  CHECK_NEAR(m.mean, -0.7, 1e-10);
  CHECK_NEAR(m.variance, 0.21 + 0.7, 1e-10);
}

TEST("quantisation: exact in FP32, with a sum of exactly one, and weights change only by rounding") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> real(-0.1, 1.0);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> weights(1 + static_cast<std::size_t>(round) % 60);
    for (double& w : weights) w = real(random);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (sum < 0.5) continue;
    for (double& w : weights) w /= sum;
    std::vector<double> rounded = weights;
    quantise(rounded);
    double total = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      CHECK_EQ(static_cast<double>(static_cast<float>(rounded[i])), rounded[i]);
      CHECK_NEAR(rounded[i], weights[i], static_cast<double>(weights.size()) * 0x1p-23);
      total += rounded[i];
    }
    CHECK_EQ(total, 1.0);
  }
}
