#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../compile/kernel_library.hpp"
#include "../compile/runtime_compiler.hpp"
#include "../device/kernel.hpp"
#include "engine/measuring.hpp"
#include "engine/problem_error.hpp"

namespace bb::cuda {

/// The selected device, and a workload's kernels on it. Both stay open until the program ends.
struct OpenedDevice {
  std::shared_ptr<Device> device;
  std::shared_ptr<const LoadedKernels> kernels;
  std::vector<engine::SetupPart> parts;  // cost of opening, almost nothing after the first time

  /// Opens the device that `selector` names (index or UUID; "" is BRAGGBENCH_CUDA_DEVICE, or the first usable device)
  /// with the kernels of `workload` (kernels/<workload>/<workload>.cu). Throws ProblemError.
  static OpenedDevice open(const std::string& selector, const std::string& workload);
};

/// Compiles and loads every kernel of `workload` now if there is no fat binary; returns nothing if there is one.
std::optional<PiecewiseKernels::Counts> warm_kernels(const std::string& selector, const std::string& workload);

/// True if a thread is in `warm_kernels` for the workload.
bool kernels_warming(const std::string& workload);

/// Identifies the device that `selector` names, as in OpenedDevice::open. Does not open it.
DeviceInfo chosen_device(const std::string& selector);

/// Opens the device without kernels and makes it current on the calling thread.
std::shared_ptr<Device> open_device(const std::string& selector);

/// Reason why the CUDA variants of `workload` cannot run here, in one sentence; "" if they can. Opens no device.
std::string unavailable(const std::string& workload);

/// Memory of the default device in bytes; 0 if there is none.
double usual_memory_bytes();

/// Runs `work` and converts device errors to ProblemError.
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
