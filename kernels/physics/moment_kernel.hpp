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

/// Discrete counterpart of a Gaussian with mean `mean` and variance `variance` (in cells and cells²). Its sum and mean
/// are exact, and every weight is >= 0. Its variance is exact if a non-negative kernel can have it: if variance >=
/// f(1-f), with f the distance of the mean from its nearest cell. Below that the variance is f(1-f), that of a split
/// over two cells.
///
/// A point-sampled Gaussian is inaccurate if it is narrower than a cell (at σ = 0.5 cells it loses 14 % of the
/// variance). So narrow kernels have three points; wide ones are sampled, and their first and second moments are then
/// corrected.
MomentKernel moment_kernel(double mean, double variance);
/// Stores all taps of `taps` as a kernel.
MomentKernel moment_kernel(const MomentTaps& taps);

/// Splits a shift of `mean` cells between two neighbours. The mean is exact and the variance is f(1-f).
MomentKernel two_point_kernel(double mean);

/// Returns the kernel that applies `a`, then `b`.
MomentKernel convolve(const MomentKernel& a, const MomentKernel& b);

/// Rounds weights that sum to 1 to multiples of 2^-24, which FP32 represents exactly, with a sum of exactly 1. So a
/// state in FP32 does not systematically gain or lose particles. If a weight exceeds 1, as next to a negative weight,
/// multiples of 2^-23 are used.
void quantise(std::span<double> weights);

}  // namespace bb::physics
