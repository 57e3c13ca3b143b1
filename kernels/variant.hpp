#pragma once

#include <string>
#include <string_view>

#include "engine/problem_error.hpp"

// Fields that the registries of all workloads have in common for their variants.
namespace bb {

/// A variant's `device`: "cpu" or "cuda".
template <typename Variant>
bool on_gpu(const Variant& variant) {
  return std::string_view(variant.device) == "cuda";
}

struct Refusal {
  const char* code;  // of ProblemError; nullptr when the variant can do the problem
  std::string why;
};

/// `known` are the ids there are, with commas between them.
[[noreturn]] inline void refuse_unknown(const std::string& variant, const std::string& known) {
  throw ProblemError("unsupported", "solver.variant = " + variant + ": unknown; allowed: auto, " + known);
}

}  // namespace bb
