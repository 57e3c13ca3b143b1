#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../api/nvml_api.hpp"

namespace bb::cuda {

/// State of a device at one moment, read through NVML. A field that the device does not report is empty.
struct ClockState {
  std::optional<unsigned> sm_MHz, memory_MHz;
  std::optional<double> power_W, power_limit_W;
  std::optional<unsigned> temperature_C;
  std::optional<double> energy_J;  // since the driver was loaded; updated some tens of times a second
  std::uint64_t reasons = 0;       // bits of api::clock_reason: reasons why the clock is not higher

  /// True if heat, power or a partner GPU slowed the chip. Idling, and clocks set by a user, do not count.
  bool throttled() const;
};

/// Names of all bits set, such as "software-power-cap"; bits without a name appear as numbers.
std::vector<std::string> reason_names(std::uint64_t reasons);

/// Access to one device through NVML. A reading takes some tens of microseconds, so take readings before and after
/// samples, not during them.
class ClockMonitor {
 public:
  /// Returns nothing if NVML is missing or does not know the device.
  static std::optional<ClockMonitor> open(std::string_view uuid);

  ClockState read() const;
  /// Highest clocks at which the device may run.
  std::optional<unsigned> max_sm_MHz() const;
  std::optional<unsigned> max_memory_MHz() const;
  std::optional<std::uint64_t> free_memory_bytes() const;
  /// True if the driver stays loaded while no program uses the device.
  std::optional<bool> persistence_mode() const;

  /// Locks the SM clock at `mhz` for all programs until it is unlocked. Returns the reason of a failure, or "".
  std::string lock(unsigned mhz) const;
  std::string unlock() const;

 private:
  explicit ClockMonitor(api::NvmlDevice device) : device_(device) {}
  api::NvmlDevice device_;
};

}  // namespace bb::cuda
