#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../device/device_info.hpp"
#include "../loader/libraries.hpp"
#include "../timing/ceilings.hpp"
#include "../timing/clocks.hpp"
#include "json.hpp"

namespace bb::cuda {

struct ReportedDevice {
  DeviceInfo info;
  std::optional<std::uint64_t> free_bytes;  // nothing where NVML is missing: asking the driver takes a context
  std::optional<ClockState> clocks;
  std::optional<bool> persistence_mode;
  std::optional<unsigned> max_sm_MHz, max_memory_MHz;
  std::optional<Ceilings> ceilings;  // if they were measured before
};

/// CUDA features of this machine, and one readable reason for each that is missing.
struct DeviceReport {
  LibraryState cuda;  // unavailable also where there is a driver but no device that runs can use
  std::string driver_version;
  std::string cuda_version;
  std::vector<ReportedDevice> devices;
  LibraryState nvrtc, nvml, cupti, cublas, cublaslt;
};

/// Asks the driver alone: no clocks, no ceilings, no other library is opened. Throws nothing: a failing device is a
/// reason.
DeviceReport make_driver_report();
/// Asks every library. `cache` holds measured ceilings. Throws nothing likewise.
DeviceReport make_device_report(const CeilingsCache& cache);

/// The report as electron/contract/devices.ts declares it.
JsonObject to_json(const DeviceReport& report);
/// Its part `cuda`.
JsonObject cuda_json(const DeviceReport& report);
JsonObject to_json(const Ceilings& ceilings);
JsonObject to_json(const ClockState& state);

}  // namespace bb::cuda
