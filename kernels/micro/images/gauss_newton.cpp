#include "gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bb::micro {
namespace {

constexpr double kFirstDamping = 1e-3, kLessDamping = 0.1, kMoreDamping = 10.0, kMaxDamping = 1e9;
/// Below this damping, a Levenberg–Marquardt step counts as a plain Gauss–Newton step.
constexpr double kNoDamping = 1e-7;

}  // namespace

std::vector<double> solved(std::vector<double> a, std::vector<double> x) {
  const std::size_t n = x.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j) {
        if (!(sum > 0.0)) return {};
        a[j * n + j] = std::sqrt(sum);
      } else {
        a[i * n + j] = sum / a[j * n + j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= a[i * n + k] * x[k];
    x[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= a[k * n + i] * x[k];
    x[i] /= a[i * n + i];
  }
  return x;
}

Fit gauss_newton(std::vector<double> start, const FitLimits& limits,
                 const std::function<NormalEquations(const std::vector<double>&)>& at) {
  Fit fit{.unknowns = std::move(start)};
  NormalEquations best = at(fit.unknowns);
  fit.residual = best.residual;
  fit.iterations = 1;
  const std::size_t n = fit.unknowns.size();
  double damping = kFirstDamping;
  while (fit.iterations < limits.most_iterations && damping < kMaxDamping) {
    std::vector<double> square = best.square;
    for (std::size_t i = 0; i < n; ++i) square[i * n + i] *= 1.0 + damping;
    const std::vector<double> step = solved(std::move(square), best.right);
    if (step.empty()) {
      damping *= kMoreDamping;
      continue;
    }
    // Solves Jᵀ J step = Jᵀ r, and moves by -step.
    std::vector<double> trial = fit.unknowns;
    double longest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      trial[i] -= step[i];
      longest = std::max(longest, std::abs(step[i]));
    }
    NormalEquations there = at(trial);
    ++fit.iterations;
    const bool better = there.residual < best.residual;  // false for NaN
    if (better) {
      fit.unknowns = std::move(trial);
      best = std::move(there);
      fit.residual = best.residual;
      damping = damping * kLessDamping < kNoDamping ? 0.0 : damping * kLessDamping;
    }
    if (longest < limits.step) {
      fit.converged = true;
      break;
    }
    if (!better) damping = std::max(damping, kNoDamping) * kMoreDamping;
  }
  return fit;
}

}  // namespace bb::micro
