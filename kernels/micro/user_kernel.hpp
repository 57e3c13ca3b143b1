#pragma once

#include "engine/task.hpp"
#include "registry.hpp"

namespace bb::micro {

inline cpu::UserKernel user_kernel(const char* bench, std::string_view id) {
  for (const engine::TaskBench& row : benches()) {
    if (std::string_view(row.id) == bench) {
      return cpu::user_kernel_among(row.variants, "micro", bench, id, engine::kUserTaskLayout);
    }
  }
  return cpu::user_kernel_among(std::span<const engine::TaskVariant>(), "micro", bench, id, engine::kUserTaskLayout);
}

}  // namespace bb::micro
