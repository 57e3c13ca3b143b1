#pragma once

#include "engine/task.hpp"
#include "registry.hpp"

namespace bb::user_problem {

inline cpu::UserKernel user_kernel(const char* bench, std::string_view id) {
  return cpu::user_kernel_among(user_problem::bench().variants, "user-problem", bench, id, engine::kUserTaskLayout);
}

}  // namespace bb::user_problem
