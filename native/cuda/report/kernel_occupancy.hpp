#pragma once

#include <string>
#include <vector>

#include "../compile/kernel_library.hpp"
#include "../device/kernel.hpp"
#include "json.hpp"

namespace bb::cuda {

/// The driver's figures for a loaded kernel, and the number of its blocks that a multiprocessor holds at each size.
struct KernelOccupancy {
  std::string name;
  KernelResources resources;
  std::vector<int> blocks;  // for each requested block size; 0 where such a block cannot be launched
};

/// Loads a workload's kernels on the device and asks for each of `names` at each of `threads`, with
/// `dynamic_shared_bytes` given at launch. Throws "invalid" for a kernel that is not there; "unsupported"
/// where the kernels cannot be loaded or the shared memory is more than a block may have.
std::vector<KernelOccupancy> kernel_occupancy(const std::shared_ptr<Device>& device, const KernelFolders& folders,
                                              const std::string& workload, const std::vector<std::string>& names,
                                              const std::vector<unsigned>& threads, unsigned dynamic_shared_bytes);

JsonObject to_json(const KernelOccupancy& occupancy);

}  // namespace bb::cuda
