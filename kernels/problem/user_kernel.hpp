#pragma once

#include "engine/user_task.hpp"
#include "registry.hpp"

namespace bb::problem {

inline cpu::UserKernel user_kernel(const char* bench, std::string_view id) {
  return cpu::user_kernel_among(problem::bench().variants, "problem", bench, id, engine::kUserTaskLayout);
}

}  // namespace bb::problem
