#pragma once

#include <cstddef>
#include <functional>
#include <vector>

// Least squares by the Gauss–Newton method, damped after Marquardt (J. SIAM 11 (1963) 431) if a step increases the
// residual.
namespace bb::micro {

/// Normal equations for residuals r at given values of the unknowns, and their derivatives J with respect to the unknowns.
struct NormalEquations {
  NormalEquations() = default;
  explicit NormalEquations(std::size_t unknowns) : square(unknowns * unknowns), right(unknowns) {}
  std::vector<double> square;  // Jᵀ J, row by row
  std::vector<double> right;   // Jᵀ r
  double residual = 0;         // rᵀ r
};

/// Solves a symmetric, positive definite system by Cholesky decomposition; returns an empty vector if it is not
/// positive definite.
std::vector<double> solved(std::vector<double> square, std::vector<double> right);

struct FitLimits {
  int most_iterations = 30;
  /// The fit ends after a step whose components are all smaller than this.
  double step = 1e-6;
};

struct Fit {
  std::vector<double> unknowns;
  double residual = 0;  // rᵀ r at the unknowns
  int iterations = 0;   // number of normal equations computed
  bool converged = false;
};

/// Fits from `start` to the minimum of the residuals. `at` computes the normal equations at given unknowns.
Fit gauss_newton(std::vector<double> start, const FitLimits& limits,
                 const std::function<NormalEquations(const std::vector<double>&)>& at);

}  // namespace bb::micro
