#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "../device/module.hpp"

namespace bb::cuda {

/// Where a workload's kernels may come from. The host names these folders.
struct KernelFolders {
  std::filesystem::path images;   // <workload>.fatbin, compiled by nvcc at build time
  std::filesystem::path sources;  // <workload>/<workload>.cu and the headers, for NVRTC
  std::filesystem::path cache;    // for what NVRTC made; empty: nothing is kept
};

enum class KernelOrigin { kFatbin, kNvrtc, kNvrtcCache };

/// A workload's kernels on a device, and what getting them took.
struct LoadedKernels {
  Module module;
  KernelOrigin origin;
  double compile_s = 0;  // 0 unless NVRTC compiled
  double load_s = 0;     // reading the image and cuModuleLoadDataEx
};

/// The fatbin if there is one and the driver takes it; else NVRTC's image; else throws "unsupported" with
/// the reason for each. CompileError passes through.
LoadedKernels load_kernels(const std::shared_ptr<Device>& device, std::string_view workload,
                           const KernelFolders& folders);

}  // namespace bb::cuda
