#pragma once

#include "cpu/user_library.hpp"
#include "registry.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Hash of the layout of all types that a solver and the engine exchange.
inline constexpr std::uint64_t kUserKernelLayout =
    cpu::layout_of<Problem, Tables, engine::Solver, engine::StepTotals, engine::SpanRecorder, engine::Marginals,
                   engine::SetupPart, engine::RowVisitor, std::vector<double>, std::string>();

inline cpu::UserKernel user_kernel(const char* bench, std::string_view id) {
  return cpu::user_kernel_among(variants(), "transport", bench, id, kUserKernelLayout);
}

}  // namespace bb::transport
