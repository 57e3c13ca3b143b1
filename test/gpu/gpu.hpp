#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "cuda/compile/kernel_library.hpp"
#include "cuda/device/device.hpp"

// Helpers of the GPU tests. They need a CUDA device and the built kernels:
//   BRAGGBENCH_KERNELS  folder of the fatbins, with source/ in it (default dist/kernels)
//   BRAGGBENCH_DEVICE   index or UUID (default: the first usable)
namespace bb::test {

inline std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

inline std::shared_ptr<cuda::Device> gpu() {
  static const auto device =
      cuda::Device::open(cuda::select_device(cuda::list_devices(), variable("BRAGGBENCH_DEVICE", "")));
  device->make_current();
  return device;
}

inline cuda::KernelFolders built_kernels() {
  const std::filesystem::path images = variable("BRAGGBENCH_KERNELS", "dist/kernels");
  return {images, images / "source", {}};
}

}  // namespace bb::test
