#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../compile/kernel_library.hpp"
#include "../compile/runtime_compiler.hpp"
#include "../device/kernel.hpp"
#include "engine/problem_error.hpp"
#include "engine/setup_part.hpp"

namespace bb::cuda {

/// The device that runs use, and a workload's kernels on it. Both stay open until the program ends.
struct OpenedDevice {
  std::shared_ptr<Device> device;
  std::shared_ptr<const LoadedKernels> kernels;
  std::vector<engine::SetupPart> parts;  // what opening took, nearly nothing from the second time on

  /// Opens the device that `selector` names (index or UUID; "" is BRAGGBENCH_CUDA_DEVICE, else the first
  /// that runs can use) with the kernels of `workload` (kernels/<workload>/<workload>.cu). Throws ProblemError.
  static OpenedDevice open(const std::string& selector, const std::string& workload);
};

/// Compiles and loads every kernel of `workload` now, where there is no fat binary; nothing where there is one.
std::optional<PiecewiseKernels::Counts> warm_kernels(const std::string& selector, const std::string& workload);

/// Whether a thread is in `warm_kernels` of the workload.
bool kernels_warming(const std::string& workload);

/// Identifier of the device that `selector` names, as above. Opens nothing.
DeviceInfo chosen_device(const std::string& selector);

/// The device alone, current on the calling thread.
std::shared_ptr<Device> open_device(const std::string& selector);

/// Why the CUDA variants of `workload` cannot run here, in one sentence; "" when they can. Opens no device.
std::string unavailable(const std::string& workload);

/// Memory of the device that runs use, bytes; 0 where there is none.
double usual_memory_bytes();

/// Runs `work`; what fails on the device leaves as ProblemError.
template <typename F>
auto on_device(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const Error& error) {
    throw ProblemError(std::string(error.code()), error.what());
  } catch (const CompileError& error) {
    throw ProblemError("unsupported", error.what());
  }
}

}  // namespace bb::cuda
