#pragma once

#include <cmath>
#include <vector>

#include "engine/task.hpp"

namespace bb::micro {

/// `n` values in [0, 2): their sum is of the order of n, so that errors are visible in it.
inline std::vector<float> summands(const engine::TaskProblem& problem) {
  std::vector<float> values = engine::uniform_values(problem.count("n"), problem.seed);
  for (float& v : values) v += 1.0f;
  return values;
}

/// Relative error bound of a chain of `n` FP32 additions: roundings that fall either way, ten times their expected size.
inline double chain_limit(double n) { return 10.0 * 0x1p-24 * std::sqrt(n) + 0x1p-22; }

}  // namespace bb::micro
