#pragma once

#include <cmath>

#include "hd.hpp"

// Amplitude scattered by a finite crystal relative to that of one cell, at given fractional indices.
namespace bb::physics {

/// √(π/6): the ellipsoid inscribed in a box of cells contains π/6 of them, and intensity is per cell.
inline constexpr double kSphere = 0.723601254558268;
/// The Gaussian exp(-ρ²/0.63) has about the width of the central peak of N cells.
inline constexpr double kGaussWidth2 = 0.63;
/// A top hat with the same integral as the peak has the squared radius 0.63².
inline constexpr double kTophatRadius2 = 0.3969;

/// N cells in a row: |sin(πNh)/sin(πh)|, N at every integer h. International Tables B, §1.2. Integers are subtracted
/// before the product with π, which would round away digits of the fraction.
BB_HD inline double row_of_cells(double h, double n) {
  constexpr double kPi = 3.141592653589793;
  const double fraction = h - std::rint(h), turns = n * fraction;
  const double below = std::sin(kPi * fraction);
  return below == 0.0 ? n : std::abs(std::sin(kPi * (turns - std::rint(turns))) / below);
}

/// Transform of a solid sphere: 3 (sin x / x - cos x) / x², 1 at 0. For small x a series replaces the difference of two
/// nearly equal numbers.
BB_HD inline double sinc3(double x) {
  const double y = x * x;
  if (y < 0.01) return 1.0 - y / 10.0 * (1.0 - y / 28.0 * (1.0 - y / 54.0 * (1.0 - y / 88.0)));
  return 3.0 * (std::sin(x) / x - std::cos(x)) / y;
}

}  // namespace bb::physics
