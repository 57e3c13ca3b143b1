#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "../device/module.hpp"
#include "piecewise_kernels.hpp"

namespace bb::cuda {

/// Folders from which a workload's kernels may come. The host names them.
struct KernelFolders {
  std::filesystem::path images;   // <workload>.fatbin, compiled by nvcc at build time
  std::filesystem::path sources;  // <workload>/<workload>.cu and the headers, for NVRTC
  std::filesystem::path cache;    // cache of NVRTC output; empty: nothing is saved
};

/// A workload's kernels on a device.
struct LoadedKernels {
  Module module;
  PiecewiseKernels* pieces = nullptr;  // the module's own, where there is no fatbin that the driver takes
  double load_s = 0;                   // reading the fatbin and cuModuleLoadDataEx, or reading the sources
};

/// The fatbin if there is one and the driver accepts it; else pieces that NVRTC compiles on demand; else throws
/// "unsupported" with the reason for each. CompileError passes through.
LoadedKernels load_kernels(const std::shared_ptr<Device>& device, std::string_view workload,
                           const KernelFolders& folders);

}  // namespace bb::cuda
