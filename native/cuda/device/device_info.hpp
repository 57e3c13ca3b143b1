#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../api/driver_types.hpp"

namespace bb::cuda {

/// Oldest architecture that the kernels are compiled for (sm_80, Ampere).
inline constexpr int kOldestArchitecture = 80;

/// Properties that the driver reports for one device. None of them needs a context.
struct DeviceInfo {
  int index = 0;  // the driver's number, after CUDA_VISIBLE_DEVICES
  api::DeviceOrdinal ordinal = 0;
  std::string name;
  std::string uuid;  // "GPU-" and hexadecimal digits in groups of 8-4-4-4-12
  std::string pci_bus_id;
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t persisting_l2_bytes = 0;
  int shared_per_block_bytes = 0;        // without opting in to more
  int shared_per_block_optin_bytes = 0;  // with it
  int shared_per_multiprocessor_bytes = 0;
  int shared_reserved_per_block_bytes = 0;
  int registers_per_multiprocessor = 0;
  int threads_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int threads_per_block = 0;
  int warp_threads = 0;
  int memory_bus_bits = 0;
  int clock_kHz = 0, memory_clock_kHz = 0;  // maxima; 0 if the driver does not report them
  bool ecc = false, integrated = false, kernel_timeout = false;
  bool cooperative_launch = false, cluster_launch = false;
  std::optional<std::string> unusable;  // reason why runs cannot use it, in one sentence

  int architecture() const { return capability_major * 10 + capability_minor; }
  /// Name for messages: "NVIDIA H200 (GPU-…)".
  std::string label() const { return name + " (" + uuid + ")"; }
};

/// Lists every device, in the driver's order. Throws "unsupported" if there is no driver.
std::vector<DeviceInfo> list_devices();

/// Finds a device by index ("0") or UUID (complete, or an unambiguous prefix, with or without "GPU-"). An empty
/// selector selects the first usable device. Throws "invalid" naming the choices, or "device" with the reason if that
/// device cannot be used.
const DeviceInfo& select_device(const std::vector<DeviceInfo>& devices, std::string_view selector);

/// Formats a UUID as nvidia-smi does.
std::string uuid_text(const api::Uuid& uuid);

}  // namespace bb::cuda
