#pragma once

#include "cpu/own_library.hpp"
#include "registry.hpp"
#include "transport/model/problem.hpp"
#include "transport/model/tables.hpp"
#include "transport/run/solver.hpp"

namespace bb::transport {

/// Of everything that a solver and the engine hand to each other.
inline constexpr std::uint64_t kOwnLayout =
    cpu::layout_of<Problem, Tables, engine::Solver, engine::StepTotals, engine::SpanRecorder, engine::Marginals,
                   engine::SetupPart, engine::RowVisitor, std::vector<double>, std::string>();

inline cpu::OwnVariant own_variant(const char* bench, std::string_view id) {
  return cpu::own_among(variants(), "transport", bench, id, kOwnLayout);
}

}  // namespace bb::transport
