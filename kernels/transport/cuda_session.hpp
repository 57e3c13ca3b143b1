#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/compile/kernel_library.hpp"
#include "cuda/compile/runtime_compiler.hpp"
#include "cuda/device/kernel.hpp"
#include "engine/solver.hpp"
#include "problem.hpp"

namespace bb::transport {

/// The device that runs use, and this workload's kernels on it. Both stay open until the program ends.
struct CudaSession {
  std::shared_ptr<cuda::Device> device;
  std::shared_ptr<const cuda::LoadedKernels> kernels;
  std::vector<engine::SetupPart> parts;  // what opening took, nearly nothing from the second time on

  /// Opens the device that `selector` names (index or UUID; "" is BRAGGBENCH_CUDA_DEVICE, else the first
  /// that runs can use). Throws ProblemError.
  static CudaSession open(const std::string& selector);
};

/// Why the CUDA variants cannot run here, in one sentence; "" when they can. Opens no device.
std::string cuda_unavailable();

/// Memory of the device that runs use, bytes; 0 where there is none.
double cuda_memory_bytes();

/// Runs `work`; what fails on the device leaves as ProblemError.
template <typename F>
auto on_device(F&& work) {
  try {
    return work();
  } catch (const cuda::Error& error) {
    throw ProblemError(std::string(error.code()), error.what());
  } catch (const cuda::CompileError& error) {
    throw ProblemError("unsupported", error.what());
  }
}

}  // namespace bb::transport
