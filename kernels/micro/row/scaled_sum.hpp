#pragma once

#include <cstddef>
#include <vector>

#include "samples.hpp"
#include "work.hpp"

// (a + b) scale, element by element: what rows 17 and 19 compute.
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

inline Answer answer(const TaskProblem& problem) {
  const Inputs in(problem);
  const Samples some(in.n);
  return {some.map([&](std::size_t i) {
            return (static_cast<double>(in.a[i]) + static_cast<double>(in.b[i])) * static_cast<double>(kScale);
          }),
          0x1p-22, 0x1p-22, some.text() + " with FP64"};
}

}  // namespace bb::micro::scaled_sum
