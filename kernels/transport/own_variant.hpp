#pragma once

#include "cpu/own_library.hpp"
#include "engine/solver.hpp"
#include "problem.hpp"
#include "tables.hpp"
#include "variants.hpp"

#ifdef _WIN32
#define BB_EXPORT __declspec(dllexport)
#else
#define BB_EXPORT __attribute__((visibility("default")))
#endif

namespace bb::transport {

/// Of everything that a solver and the engine hand to each other.
inline constexpr std::uint64_t kOwnLayout =
    cpu::layout_of<Problem, Tables, engine::Solver, engine::StepTotals, engine::SpanRecorder, engine::Marginals,
                   engine::SetupPart, engine::RowVisitor, std::vector<double>, std::string>();

}  // namespace bb::transport

/// The entry of a user's library: `function` is one of variants.hpp.
#define BB_OWN_VARIANT(function)                                                                                   \
  extern "C" BB_EXPORT const bb::cpu::OwnVariant* braggbench_own_variant() {                                       \
    static const bb::transport::Variant variant = bb::transport::function();                                       \
    static const bb::cpu::OwnVariant own{bb::cpu::kOwnVersion, bb::transport::kOwnLayout, "transport", variant.id, \
                                         reinterpret_cast<void (*)()>(variant.make)};                              \
    return &own;                                                                                                   \
  }
