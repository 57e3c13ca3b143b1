#include "own_kernels.hpp"

#include <utility>

namespace bb::cuda {
namespace {

std::optional<OwnKernels>& kept() {
  static std::optional<OwnKernels> kernels;
  return kernels;
}

}  // namespace

void use_own_kernels(OwnKernels kernels) { kept() = std::move(kernels); }

const std::optional<OwnKernels>& own_kernels() { return kept(); }

}  // namespace bb::cuda
