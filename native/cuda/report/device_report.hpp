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
  std::optional<std::uint64_t> free_bytes;  // nothing without NVML, because querying the driver needs a context
  std::optional<ClockState> clocks;
  std::optional<bool> persistence_mode;
  std::optional<unsigned> max_sm_MHz, max_memory_MHz;
  std::optional<Ceilings> ceilings;  // present if they were measured before
};

/// CUDA features of this machine, with a reason for each that is missing.
struct DeviceReport {
  LibraryState cuda;  // also unavailable if there is a driver but no usable device
  std::string driver_version;
  std::string cuda_version;
  std::vector<ReportedDevice> devices;
  LibraryState nvrtc, nvml, cupti, cublas, cublaslt;
};

/// Queries only the driver, so there are no clocks and no ceilings, and no other library is opened. Does not throw: the
/// error of a failing device becomes its reason.
DeviceReport make_driver_report();
/// Queries every library. `cache` contains measured ceilings. Does not throw.
DeviceReport make_device_report(const CeilingsCache& cache);

/// Converts the report to the form that electron/contract/capabilities.ts declares.
JsonObject to_json(const DeviceReport& report);
/// Converts only the field `cuda` of the report.
JsonObject cuda_json(const DeviceReport& report);
JsonObject to_json(const Ceilings& ceilings);
JsonObject to_json(const ClockState& state);

}  // namespace bb::cuda
