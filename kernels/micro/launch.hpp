#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/task.hpp"

// Row 1 of the claim ledger: `steps` dependent y += a x over `n` elements, as so many launches or fused into one.
namespace bb::micro {

struct LaunchProblem {
  explicit LaunchProblem(const engine::TaskProblem& problem)
      : n(problem.count("n")),
        steps(static_cast<std::uint32_t>(problem.count("steps"))),
        x(engine::uniform_values(n, problem.seed)),
        y(engine::uniform_values(n, problem.seed + 1)) {}

  static constexpr float kA = 1.0f / 1024.0f;  // small: y stays an ordinary number over thousands of repetitions

  std::size_t n;
  std::uint32_t steps;
  std::vector<float> x, y;

  /// The largest |Δ| / (|y| + steps |a x|) against FP64: a rounding per step may add up.
  engine::CheckReport compare(std::span<const float> result) const {
    double worst = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double change = static_cast<double>(steps) * static_cast<double>(kA) * static_cast<double>(x[i]);
      const double start = static_cast<double>(y[i]);
      const double error =
          std::abs(static_cast<double>(result[i]) - (start + change)) / (std::abs(start) + std::abs(change) + 1e-300);
      if (!(error <= worst)) worst = error;  // NaN stays
    }
    const double rounding = std::ldexp(1.0, -24);
    return {{{"relative", "Largest error relative to |y| + steps |a x|", worst, rounding * (steps + 1.0)}},
            "all " + std::to_string(n) + " elements with FP64"};
  }

  /// Compulsory: x is read once, y read and written once. What passes over memory again is the arrangement's cost.
  engine::TaskWork work() const {
    const auto elements = static_cast<double>(n);
    return {.bytes = 12.0 * elements, .flops = 2.0 * elements * steps};
  }
};

}  // namespace bb::micro
