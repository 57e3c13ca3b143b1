#pragma once

#include <string>
#include <vector>

#include "../compile/kernel_library.hpp"
#include "../device/kernel.hpp"
#include "json.hpp"

namespace bb::cuda {

/// The driver's properties of a loaded kernel, and its number of resident blocks per SM for each block size.
struct KernelOccupancy {
  std::string name;
  KernelResources resources;
  std::vector<int> blocks;  // for each requested block size; 0 if such a block cannot be launched
};

/// Loads the kernels of a workload on the device and queries each of `names` at each of `threads`, with
/// `dynamic_shared_bytes` at launch. Throws "invalid" if a kernel does not exist; "unsupported" if the kernels cannot
/// be loaded or a block may not have that much shared memory.
std::vector<KernelOccupancy> kernel_occupancy(const std::shared_ptr<Device>& device, const KernelFolders& folders,
                                              const std::string& workload, const std::vector<std::string>& names,
                                              const std::vector<unsigned>& threads, unsigned dynamic_shared_bytes);

JsonObject to_json(const KernelOccupancy& occupancy);

}  // namespace bb::cuda
