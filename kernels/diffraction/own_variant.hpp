#pragma once

#include "cpu/own_library.hpp"
#include "registry.hpp"

namespace bb::diffraction {

/// Of everything that a solver and the engine hand to each other.
inline constexpr std::uint64_t kOwnLayout =
    cpu::layout_of<Setup, Source, Basis, StructureFactors, Work, Solver, cpu::ThreadPool, engine::SpanRecorder,
                   engine::SetupPart, std::vector<double>, std::string>();

inline cpu::OwnVariant own_variant(const char* bench, std::string_view id) {
  return cpu::own_among(variants(), "diffraction", bench, id, kOwnLayout);
}

}  // namespace bb::diffraction
