#pragma once

#include "cpu/user_library.hpp"
#include "registry.hpp"

namespace bb::diffraction {

/// Hash of the layout of all types that a solver and the engine exchange.
inline constexpr std::uint64_t kUserKernelLayout =
    cpu::layout_of<Setup, Source, Basis, StructureFactors, Work, Solver, cpu::ThreadPool, engine::SpanRecorder,
                   engine::SetupPart, std::vector<double>, std::string>();

inline cpu::UserKernel user_kernel(const char* bench, std::string_view id) {
  return cpu::user_kernel_among(variants(), "diffraction", bench, id, kUserKernelLayout);
}

}  // namespace bb::diffraction
