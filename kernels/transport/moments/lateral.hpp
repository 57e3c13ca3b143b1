#pragma once

#include <array>
#include <span>

namespace bb::transport {

/// A sum of at most two centred Gaussians with given moments of their variances.
struct GaussianPair {
  int count = 0;
  std::array<double, 2> weight{}, sigma{};  // sigma in mm
};

/// Gauss quadrature: `moments`[0] is the sum of the weights, `moments`[1] to [3] are weighted sums of powers 1 to 3 of
/// the variances. The result is a single Gaussian if the variances are nearly equal.
GaussianPair gaussian_pair(const std::array<double, 4>& moments);

/// Share of a normal distribution below `sigmas` standard deviations.
double normal_below(double sigmas);

/// Shares of a Gaussian pair outside the cells. add_pair() adds a pair around `centre` to cells of width `dx` (mm) that
/// start at `first`.
struct Outside {
  double low = 0, high = 0;
};
Outside add_pair(const GaussianPair& pair, double centre, double first, double dx, std::span<double> cells);

/// The shares that add_pair() returns, for cells from `first` to `end` (mm).
Outside outside_of(const GaussianPair& pair, double centre, double first, double end);

}  // namespace bb::transport
