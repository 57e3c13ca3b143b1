#pragma once

#include <span>

#include "engine/task.hpp"

namespace bb::micro {

/// The rows of the claim ledger.
std::span<const engine::TaskBench> benches();

}  // namespace bb::micro
