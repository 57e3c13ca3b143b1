#pragma once

#include <cstddef>
#include <vector>

#include "samples.hpp"
#include "work.hpp"

namespace bb::micro {

/// Inputs of y += a x, which four rows run.
struct AxpyInputs {
  explicit AxpyInputs(const TaskProblem& problem)
      : n(problem.count("n")),
        x(engine::uniform_values(n, problem.seed)),
        y(engine::uniform_values(n, problem.seed + 1)) {}
  /// After `steps` of them, each of which rounds once.
  Answer after(int steps, float a) const {
    const Samples some(n);
    const double roundings = 0x1p-24 * (steps + 1);
    return {some.map([&](std::size_t i) {
              return static_cast<double>(y[i]) +
                     static_cast<double>(steps) * static_cast<double>(a) * static_cast<double>(x[i]);
            }),
            roundings, roundings, some.text() + " with FP64"};
  }
  std::size_t n;
  std::vector<float> x, y;
};

}  // namespace bb::micro
