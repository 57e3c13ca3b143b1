#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/device/kernel.hpp"
#include "piecewise_kernels.hpp"

namespace bb::cuda {

/// Folders of a workload's kernels, which the host names.
struct KernelFolders {
  std::filesystem::path images;   // <workload>.fatbin, compiled by nvcc at build time
  std::filesystem::path sources;  // <workload>/<workload>.cu and the headers, for NVRTC
  std::filesystem::path cache;    // cache of NVRTC output; empty: nothing is saved
};

/// A workload's kernels that are loaded on a device.
struct LoadedKernels {
  Module module;
  PiecewiseKernels* pieces = nullptr;  // owned by the module, if there is no usable fatbin
  double load_s = 0;                   // reading the fatbin and cuModuleLoadDataEx, or reading the sources
};

/// Loads the fatbin if there is one and the driver accepts it; otherwise NVRTC compiles pieces on demand. Throws
/// "unsupported" with the reason for each if neither works. Passes CompileError through.
LoadedKernels load_kernels(const std::shared_ptr<Device>& device, std::string_view workload,
                           const KernelFolders& folders);

/// Default folders of kernels. Images: the folder in BRAGGBENCH_KERNELS, or ../kernels relative to this binary (addon
/// or test program); sources: its source/. NVRTC output: BRAGGBENCH_CACHE, or the user's cache folder; not saved if
/// there is none.
const KernelFolders& kernel_folders();

// User kernels that replace shipped kernels of the same names until the process ends; they run in a separate process.

struct UserKernels {
  std::string workload;
  std::string name;   // name of the file, for messages
  std::string image;  // machine code or PTX
};

/// Makes modules that are loaded from now on prefer these kernels.
void use_user_kernels(UserKernels kernels);

/// User kernels in use, if any.
const std::optional<UserKernels>& user_kernels();

}  // namespace bb::cuda
