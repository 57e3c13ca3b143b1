#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "convert.hpp"
#include "engine/problem_error.hpp"

namespace bb::binding {

/// Returns the value for `name`; throws a ProblemError that lists the allowed names if there is none.
template <typename T, std::size_t N>
T choice(const Fields& fields, const char* key, const std::pair<const char*, T> (&options)[N]) {
  const std::string given = fields.text(key);
  std::string allowed;
  for (const auto& [name, value] : options) {
    if (given == name) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  throw ProblemError("invalid", fields.path() + "." + key + " = " + given + ": allowed: " + allowed);
}

}  // namespace bb::binding
