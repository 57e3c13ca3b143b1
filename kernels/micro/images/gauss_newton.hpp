#pragma once

#include <cstddef>
#include <functional>
#include <vector>

// Least squares by Gauss and Newton, damped after Marquardt (J. SIAM 11 (1963) 431) where a step makes it worse.
namespace bb::micro {

/// Those of residuals r at some unknowns, and of their derivatives J by them.
struct NormalEquations {
  NormalEquations() = default;
  explicit NormalEquations(std::size_t unknowns) : square(unknowns * unknowns), right(unknowns) {}
  std::vector<double> square;  // Jᵀ J, row by row
  std::vector<double> right;   // Jᵀ r
  double residual = 0;         // rᵀ r
};

/// The solution of a symmetric, positive definite system by Cholesky's decomposition; empty where it is none.
std::vector<double> solved(std::vector<double> square, std::vector<double> right);

struct FitLimits {
  int most_iterations = 30;
  /// A step whose every part is below it ends the fit.
  double step = 1e-6;
};

struct Fit {
  std::vector<double> unknowns;
  double residual = 0;  // rᵀ r at them
  int iterations = 0;   // normal equations that were made
  bool converged = false;
};

/// From `start` to where the residuals are least. `at` makes the normal equations of some unknowns.
Fit gauss_newton(std::vector<double> start, const FitLimits& limits,
                 const std::function<NormalEquations(const std::vector<double>&)>& at);

}  // namespace bb::micro
