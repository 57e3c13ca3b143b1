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
  std::optional<double> energy_J;  // since the driver was loaded; counts on some tens of times a second
  std::uint64_t reasons = 0;       // bits of api::clock_reason: why the clock is not higher

  /// Whether something slowed the chip: heat, power or a partner GPU; not idling or a clock that a user set.
  bool throttled() const;
};

/// "software-power-cap", … for each bit set; bits without a name are given as numbers.
std::vector<std::string> reason_names(std::uint64_t reasons);

/// NVML's view of one device. A reading takes some tens of microseconds: take them around samples, not inside.
class ClockMonitor {
 public:
  /// Nothing where NVML is missing or does not know the device.
  static std::optional<ClockMonitor> open(std::string_view uuid);

  ClockState read() const;
  /// Highest clocks the device may run at.
  std::optional<unsigned> max_sm_MHz() const;
  std::optional<unsigned> max_memory_MHz() const;
  std::optional<std::uint64_t> free_memory_bytes() const;
  /// Whether the driver stays loaded while nobody uses the device.
  std::optional<bool> persistence_mode() const;

  /// Keeps the multiprocessor clock at `mhz` for all programs until it is unlocked. Why that cannot be, or "".
  std::string lock(unsigned mhz) const;
  std::string unlock() const;

 private:
  explicit ClockMonitor(api::NvmlDevice device) : device_(device) {}
  api::NvmlDevice device_;
};

}  // namespace bb::cuda
