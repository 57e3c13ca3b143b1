#pragma once

#include "engine/own_task.hpp"
#include "registry.hpp"

namespace bb::linear_relu {

inline cpu::OwnVariant own_variant(const char* bench, std::string_view id) {
  return cpu::own_among(linear_relu::bench().variants, "linear-relu", bench, id, engine::kOwnTaskLayout);
}

}  // namespace bb::linear_relu
