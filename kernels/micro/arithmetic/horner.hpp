#pragma once

#include <cstddef>
#include <vector>

#include "micro/row/row.hpp"

// Polynomials of rows 11, 13 and 24 of the table of performance claims on the CPU, compiled per instruction set.
namespace bb::micro {

/// A number as the unevaluated sum of two floats.
struct DoubleFloat {
  float high, low;
};

/// Each function computes elements [first, last) of out = c[0] + x (c[1] + x (…)).
struct HornerFunctions {
  void (*separate)(std::size_t first, std::size_t last, const std::vector<float>& c, const float* x, float* out);
  void (*fused)(std::size_t first, std::size_t last, const std::vector<float>& c, const float* x, float* out);
  void (*fp64)(std::size_t first, std::size_t last, const std::vector<double>& c, const double* x, double* out);
  void (*double_float)(std::size_t first, std::size_t last, const std::vector<DoubleFloat>& c, const double* x,
                       double* out);
};

/// Returns the functions for the best instruction set of this CPU.
const HornerFunctions& horner_functions();

/// Coefficients and arguments of a polynomial; arguments in [-1, 1).
struct HornerInputs {
  HornerInputs(const TaskProblem& problem, std::size_t terms);
  template <typename T>
  double at(std::size_t i) const {
    T y = static_cast<T>(c.back());
    for (std::size_t k = c.size() - 1; k-- > 0;) y = y * static_cast<T>(x[i]) + static_cast<T>(c[k]);
    return static_cast<double>(y);
  }
  std::vector<float> c, x;
};

}  // namespace bb::micro
