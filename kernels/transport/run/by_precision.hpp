#pragma once

#include <memory>

#include "solver.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"

namespace bb::transport {

inline double value_bytes(const Problem& problem) { return problem.precision == Precision::kFp64 ? 8.0 : 4.0; }

/// Bytes of two states of the whole grid, the input and the output of a pass. Depth stepping stores one plane.
inline double estimate_dense(const Problem& problem, const Tables& t) {
  const double cells = static_cast<double>(t.cells()) / (problem.stepping == Stepping::kDepth ? t.nz : 1);
  return 2.0 * value_bytes(problem) * cells;
}

/// Creates a solver of class SolverOf<float> or SolverOf<double>, by the problem's precision.
template <template <typename> class SolverOf, auto... kOptions>
std::unique_ptr<engine::Solver> make_by_precision(const Problem& problem, const Tables& tables, int threads) {
  if (problem.precision == Precision::kFp64) {
    return std::make_unique<SolverOf<double>>(problem, tables, threads, kOptions...);
  }
  return std::make_unique<SolverOf<float>>(problem, tables, threads, kOptions...);
}

}  // namespace bb::transport
