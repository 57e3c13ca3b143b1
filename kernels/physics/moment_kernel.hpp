#pragma once

#include <span>
#include <vector>

#include "moment_taps.hpp"

namespace bb::physics {

/// A discrete kernel on the integers: `weights[i]` moves content by `first + i` cells.
struct MomentKernel {
  int first = 0;
  std::vector<double> weights;

  int last() const { return first + static_cast<int>(weights.size()) - 1; }
};

/// The discrete counterpart of a Gaussian of mean `mean` and variance `variance` (in cells and
/// cells²): sum and mean are exact, every weight is >= 0, and the variance is exact too wherever a
/// non-negative kernel can have it; that is for variance >= f(1-f) with f the distance of the mean
/// from its nearest cell. Below that the variance is f(1-f), that of a split over two cells.
///
/// A point-sampled Gaussian starves below one cell (at σ = 0.5 cells it loses 14 % of the
/// variance). So narrow kernels have three points, wide ones are sampled and then corrected in their
/// first and second moment.
MomentKernel moment_kernel(double mean, double variance);
/// All of its taps.
MomentKernel moment_kernel(const MomentTaps& taps);

/// Splits a shift of `mean` cells over two neighbours: exact mean, variance f(1-f) of its own.
MomentKernel two_point_kernel(double mean);

/// The kernel that applies `a`, then `b`.
MomentKernel convolve(const MomentKernel& a, const MomentKernel& b);

/// Rounds weights (a set that sums to 1) to multiples of 2^-24 with a sum of exactly 1. So a state in FP32 neither gains
/// nor loses particles systematically; to multiples of 2^-23 if one exceeds 1, as next to a negative weight. Each is
/// then exact in FP32.
void quantise(std::span<double> weights);

}  // namespace bb::physics
