#pragma once

#include <memory>
#include <vector>

#include "engine/task.hpp"

// One function per family of variants; registry.cpp joins their lists.
namespace bb::linear_relu {

std::vector<engine::TaskVariant> cpu_variants();
std::vector<engine::TaskVariant> hand_written_cuda_variants();
std::vector<engine::TaskVariant> cublas_variants();
std::vector<engine::TaskVariant> cublaslt_variants();

template <typename T>
std::unique_ptr<engine::Task> make(const engine::TaskProblem& problem) {
  return std::make_unique<T>(problem);
}

}  // namespace bb::linear_relu
