#pragma once

#include "engine/task.hpp"

// One function per row; registry.cpp lists them.
namespace bb::micro {

engine::TaskBench launch_bench();

}  // namespace bb::micro
