#pragma once

#include <cstddef>
#include <vector>

#include "row.hpp"
#include "work.hpp"

namespace bb::micro {

/// y = y r + t, applied `work` times: arithmetic without memory accesses, used by three rows of the table of
/// performance claims.
inline double iterated(double y, int work) {
  for (int w = 0; w < work; ++w) y = y * 0.984375 + 0.0078125;
  return y;
}
inline constexpr double kIteratedLimit = 0x1p-24 * 64;  // a step removes a 64th of the error

/// Inputs of y += a x, used by four rows of the table of performance claims.
struct AxpyInputs {
  explicit AxpyInputs(const TaskProblem& problem)
      : n(problem.count("n")),
        x(engine::uniform_values(n, problem.seed)),
        y(engine::uniform_values(n, problem.seed + 1)) {}
  /// Expected result after `steps` steps, each of which rounds once.
  ExpectedResult after(int steps, float a) const {
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

// (a + b) scale, element by element, for rows 17 and 19 of the table of performance claims.
namespace bb::micro::scaled_sum {

inline constexpr float kScale = 0.75f;

struct Inputs {
  explicit Inputs(const TaskProblem& problem)
      : n(problem.count("n")),
        a(engine::uniform_values(n, problem.seed)),
        b(engine::uniform_values(n, problem.seed + 1)) {}
  TaskWork work() const { return {.bytes = 12.0 * static_cast<double>(n), .flops = 2.0 * static_cast<double>(n)}; }
  std::size_t n;
  std::vector<float> a, b;
};

inline ExpectedResult answer(const TaskProblem& problem) {
  const Inputs in(problem);
  const Samples some(in.n);
  return {some.map([&](std::size_t i) {
            return (static_cast<double>(in.a[i]) + static_cast<double>(in.b[i])) * static_cast<double>(kScale);
          }),
          0x1p-22, 0x1p-22, some.text() + " with FP64"};
}

}  // namespace bb::micro::scaled_sum
