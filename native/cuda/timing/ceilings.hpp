#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "../compile/kernel_library.hpp"
#include "../device/device.hpp"

namespace bb::cuda {

/// Measured performance limits of a device: the ceilings of a roofline, and the cost of a launch. Rates are the fastest
/// of the samples, because no good kernel may exceed a ceiling; latencies are medians.
struct Ceilings {
  double copy_bytes_per_s = 0;  // bytes read plus bytes written
  std::string copy_by;          // the fastest: "kernel" or "cuMemcpyDtoD"
  double fp32_flops_per_s = 0;  // a fused multiply-add is two operations
  double fp64_flops_per_s = 0;
  double launch_interval_s = 0;    // between launches queued back to back
  double launch_round_trip_s = 0;  // one empty launch and its synchronisation, wall time
  double graph_node_s = 0;         // each further empty kernel in a graph's chain, device time
  double graph_round_trip_s = 0;   // one launch of a one-node graph and its synchronisation, wall time
  double sm_MHz = 0;               // SM clock right after the arithmetic; 0 without NVML
  bool throttled = false;          // NVML reported a throttle reason while measuring
  std::string driver;              // driver version of the measurement
};

/// Measures with the kernels of the workload "probe"; takes less than a second and up to 2 GiB of device memory.
Ceilings measure_ceilings(const std::shared_ptr<Device>& device, const KernelFolders& folders);

/// Driver version under which measurements are cached: NVML's ("580.159.04"), or the CUDA version ("cuda-13.0") without
/// NVML.
std::string driver_version();

/// Ceilings on disk, one small text file per device UUID, driver and kind of measurement. `find` returns nothing for a
/// file of another driver, a damaged file, or an empty folder.
class CeilingsCache {
 public:
  explicit CeilingsCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<Ceilings> find(const std::string& uuid, const std::string& driver) const;
  void keep(const std::string& uuid, const Ceilings& ceilings) const;

 private:
  std::filesystem::path file(const std::string& uuid, const std::string& driver) const;

  std::filesystem::path folder_;
};

}  // namespace bb::cuda
