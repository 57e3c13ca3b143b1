#include "user_kernels.hpp"

#include <utility>

namespace bb::cuda {
namespace {

std::optional<UserKernels>& kept() {
  static std::optional<UserKernels> kernels;
  return kernels;
}

}  // namespace

void use_user_kernels(UserKernels kernels) { kept() = std::move(kernels); }

const std::optional<UserKernels>& user_kernels() { return kept(); }

}  // namespace bb::cuda
