#pragma once

#include <string>
#include <string_view>

#include "engine/problem_error.hpp"

// Fields shared by the variants of all workloads.
namespace bb {

/// True if a variant's `device` is "cuda" rather than "cpu".
template <typename Variant>
bool on_gpu(const Variant& variant) {
  return std::string_view(variant.device) == "cuda";
}

struct Refusal {
  const char* code;  // code of a ProblemError; nullptr if the variant can solve the problem
  std::string why;
};

/// Throws an error that names the unknown variant. `known` lists the existing ids, separated by commas.
[[noreturn]] inline void refuse_unknown(const std::string& variant, const std::string& known) {
  throw ProblemError("unsupported", "solver.variant = " + variant + ": unknown; allowed: auto, " + known);
}

}  // namespace bb
