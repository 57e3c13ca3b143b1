#pragma once

#include "engine/task.hpp"
#include "registry.hpp"

namespace bb::linear_relu {

inline cpu::UserKernel user_kernel(const char* bench, std::string_view id) {
  return cpu::user_kernel_among(linear_relu::bench().variants, "linear-relu", bench, id, engine::kUserTaskLayout);
}

}  // namespace bb::linear_relu
