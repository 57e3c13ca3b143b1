#pragma once

#include "engine/own_task.hpp"
#include "registry.hpp"

namespace bb::micro {

inline cpu::OwnVariant own_variant(const char* bench, std::string_view id) {
  for (const engine::TaskBench& row : benches()) {
    if (std::string_view(row.id) == bench) {
      return cpu::own_among(row.variants, "micro", bench, id, engine::kOwnTaskLayout);
    }
  }
  return cpu::own_among(std::span<const engine::TaskVariant>(), "micro", bench, id, engine::kOwnTaskLayout);
}

}  // namespace bb::micro
