#include "clocks.hpp"

#include <utility>

#include "../loader/libraries.hpp"

namespace bb::cuda {
namespace {

using namespace api;

constexpr std::pair<std::uint64_t, std::string_view> kReasonNames[] = {
    {clock_reason::kGpuIdle, "idle"},
    {clock_reason::kApplicationSetting, "application-clock-setting"},
    {clock_reason::kSoftwarePowerCap, "software-power-cap"},
    {clock_reason::kHardwareSlowdown, "hardware-slowdown"},
    {clock_reason::kSyncBoost, "sync-boost"},
    {clock_reason::kSoftwareThermal, "software-thermal"},
    {clock_reason::kHardwareThermal, "hardware-thermal"},
    {clock_reason::kHardwarePowerBrake, "hardware-power-brake"},
    {clock_reason::kDisplaySetting, "display-clock-setting"},
};

constexpr std::uint64_t kThrottles = clock_reason::kSoftwarePowerCap | clock_reason::kHardwareSlowdown |
                                     clock_reason::kSyncBoost | clock_reason::kSoftwareThermal |
                                     clock_reason::kHardwareThermal | clock_reason::kHardwarePowerBrake;

template <typename Call>
std::optional<unsigned> read_unsigned(Call call) {
  unsigned value = 0;
  return call(&value) == 0 ? std::optional(value) : std::nullopt;
}

std::string refusal(NvmlStatus status) { return status == 0 ? "" : nvml_library().api.ErrorString(status); }

std::optional<double> from_milli(std::optional<unsigned> value) {
  return value ? std::optional(*value * 1e-3) : std::nullopt;
}

}  // namespace

bool ClockState::throttled() const { return (reasons & kThrottles) != 0; }

std::vector<std::string> reason_names(std::uint64_t reasons) {
  std::vector<std::string> out;
  for (const auto& [bit, name] : kReasonNames) {
    if (reasons & bit) out.emplace_back(name);
    reasons &= ~bit;
  }
  if (reasons != 0) out.push_back("reason-bits-" + std::to_string(reasons));
  return out;
}

std::optional<ClockMonitor> ClockMonitor::open(std::string_view uuid) {
  const auto& nvml = nvml_library();
  if (!nvml.state.available) return std::nullopt;
  NvmlDevice device = nullptr;
  const std::string whole(uuid);
  if (nvml.api.DeviceGetHandleByUuid(whole.c_str(), &device) == 0) return ClockMonitor(device);
  // The driver reports a MIG slice's UUID without the prefix that marks it as one.
  const std::string slice = "MIG-" + whole.substr(whole.find('-') + 1);
  if (nvml.api.DeviceGetHandleByUuid(slice.c_str(), &device) == 0) return ClockMonitor(device);
  return std::nullopt;
}

ClockState ClockMonitor::read() const {
  const NvmlApi& nvml = nvml_library().api;
  ClockState out;
  out.sm_MHz =
      read_unsigned([&](unsigned* v) { return nvml.DeviceGetClockInfo(device_, NvmlClock::kMultiprocessor, v); });
  out.memory_MHz = read_unsigned([&](unsigned* v) { return nvml.DeviceGetClockInfo(device_, NvmlClock::kMemory, v); });
  out.power_W = from_milli(read_unsigned([&](unsigned* v) { return nvml.DeviceGetPowerUsage(device_, v); }));
  out.power_limit_W = from_milli(read_unsigned([&](unsigned* v) { return nvml.DeviceGetPowerLimit(device_, v); }));
  out.temperature_C =
      read_unsigned([&](unsigned* v) { return nvml.DeviceGetTemperature(device_, kNvmlTemperatureGpu, v); });
  unsigned long long millijoules = 0;
  if (nvml.DeviceGetTotalEnergy && nvml.DeviceGetTotalEnergy(device_, &millijoules) == 0) {
    out.energy_J = static_cast<double>(millijoules) * 1e-3;
  }
  unsigned long long reasons = 0;
  if (nvml.DeviceGetClockReasons(device_, &reasons) == 0) out.reasons = reasons;
  return out;
}

std::optional<unsigned> ClockMonitor::max_sm_MHz() const {
  const NvmlApi& nvml = nvml_library().api;
  return read_unsigned([&](unsigned* v) { return nvml.DeviceGetMaxClockInfo(device_, NvmlClock::kMultiprocessor, v); });
}

std::optional<unsigned> ClockMonitor::max_memory_MHz() const {
  const NvmlApi& nvml = nvml_library().api;
  return read_unsigned([&](unsigned* v) { return nvml.DeviceGetMaxClockInfo(device_, NvmlClock::kMemory, v); });
}

std::optional<std::uint64_t> ClockMonitor::free_memory_bytes() const {
  NvmlMemory memory{};
  return nvml_library().api.DeviceGetMemoryInfo(device_, &memory) == 0 ? std::optional<std::uint64_t>(memory.free)
                                                                       : std::nullopt;
}

std::optional<bool> ClockMonitor::persistence_mode() const {
  const NvmlApi& nvml = nvml_library().api;
  int enabled = 0;
  if (!nvml.DeviceGetPersistenceMode || nvml.DeviceGetPersistenceMode(device_, &enabled) != 0) return std::nullopt;
  return enabled != 0;
}

std::string ClockMonitor::lock(unsigned mhz) const {
  const NvmlApi& nvml = nvml_library().api;
  return nvml.DeviceSetLockedClocks ? refusal(nvml.DeviceSetLockedClocks(device_, mhz, mhz))
                                    : "NVML cannot lock clocks";
}

std::string ClockMonitor::unlock() const {
  const NvmlApi& nvml = nvml_library().api;
  return nvml.DeviceResetLockedClocks ? refusal(nvml.DeviceResetLockedClocks(device_)) : "NVML cannot lock clocks";
}

}  // namespace bb::cuda
