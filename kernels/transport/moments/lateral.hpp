#pragma once

#include <array>
#include <span>

namespace bb::transport {

/// A sum of at most two centred Gaussians: what has variances of given moments.
struct GaussianPair {
  int count = 0;
  std::array<double, 2> weight{}, sigma{};  // sigma in mm
};

/// The pair whose weights have the sum `moments`[0] and whose variances, so weighted, the moments 1 to 3 of a quantity:
/// Gauss's quadrature. One Gaussian where the variances are alike.
GaussianPair gaussian_pair(const std::array<double, 4>& moments);

/// Share of a normal distribution below `sigmas` of it.
double normal_below(double sigmas);

/// Adds a pair about `centre` to cells of width `dx` (mm) that begin at `first`. Returns what lies beyond either end.
struct Outside {
  double low = 0, high = 0;
};
Outside add_pair(const GaussianPair& pair, double centre, double first, double dx, std::span<double> cells);

}  // namespace bb::transport
