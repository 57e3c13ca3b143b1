#include "kernel_occupancy.hpp"

namespace bb::cuda {

std::vector<KernelOccupancy> kernel_occupancy(const std::shared_ptr<Device>& device, const KernelFolders& folders,
                                              const std::string& workload, const std::vector<std::string>& names,
                                              const std::vector<unsigned>& threads, unsigned dynamic_shared_bytes) {
  device->make_current();
  const LoadedKernels kernels = load_kernels(device, workload, folders);
  std::vector<KernelOccupancy> out;
  for (const std::string& name : names) {
    Kernel kernel(kernels.module, name.c_str());
    KernelOccupancy one{name, kernel.resources(), {}};
    if (dynamic_shared_bytes > 0) kernel.allow_dynamic_shared(dynamic_shared_bytes);
    for (const unsigned size : threads) {
      // For block sizes with which the kernel cannot be launched, the driver returns an error, or in some versions a
      // wrong number.
      const bool fits = static_cast<int>(size) <= one.resources.max_threads_per_block;
      one.blocks.push_back(fits ? kernel.resident_blocks(size, dynamic_shared_bytes) : 0);
    }
    out.push_back(std::move(one));
  }
  return out;
}

JsonObject to_json(const KernelOccupancy& occupancy) {
  const KernelResources& resources = occupancy.resources;
  return JsonObject()
      .set("name", occupancy.name)
      .set("registers", resources.registers)
      .set("shared_bytes", resources.static_shared_bytes)
      .set("local_bytes", resources.local_bytes)
      .set("max_threads", resources.max_threads_per_block)
      .set("binary_version", resources.binary_version)
      .set("blocks", occupancy.blocks);
}

}  // namespace bb::cuda
