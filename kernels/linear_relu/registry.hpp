#pragma once

#include "engine/task.hpp"

namespace bb::linear_relu {

/// The linear layer and its rectifier, forward and backward.
engine::TaskBench bench();

}  // namespace bb::linear_relu
