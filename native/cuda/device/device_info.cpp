#include "device_info.hpp"

#include <charconv>
#include <mutex>
#include <utility>

#include "error.hpp"

namespace bb::cuda {
namespace {

using api::DeviceAttribute;

void require(api::Status status, const char* call) {
  if (status != api::status::kSuccess) {
    throw Error({.code = "device",
                 .call = call,
                 .name = status_name(status),
                 .text = status_text(status),
                 .device = {},
                 .kernel = {}});
  }
}

/// Returns 0 if the driver does not know the attribute.
int attribute(api::DeviceOrdinal ordinal, DeviceAttribute which) {
  int value = 0;
  return driver().DeviceGetAttribute(&value, which, ordinal) == api::status::kSuccess ? value : 0;
}

std::optional<std::string> why_unusable(const DeviceInfo& device, int compute_mode) {
  if (device.architecture() < kOldestArchitecture) {
    return "compute capability " + std::to_string(device.capability_major) + "." +
           std::to_string(device.capability_minor) + " is below 8.0, the oldest that the kernels are compiled for";
  }
  if (compute_mode == api::kComputeModeProhibited) {
    return "its compute mode is set to Prohibited (nvidia-smi --compute-mode)";
  }
  return std::nullopt;
}

DeviceInfo describe(int index) {
  DeviceInfo out;
  out.index = index;
  require(driver().DeviceGet(&out.ordinal, index), "cuDeviceGet");
  char text[256] = "";
  require(driver().DeviceGetName(text, sizeof text, out.ordinal), "cuDeviceGetName");
  out.name = text;
  api::Uuid uuid{};
  require(driver().DeviceGetUuid(&uuid, out.ordinal), "cuDeviceGetUuid_v2");
  out.uuid = uuid_text(uuid);
  if (driver().DeviceGetPCIBusId(text, sizeof text, out.ordinal) == api::status::kSuccess) out.pci_bus_id = text;
  std::size_t bytes = 0;
  require(driver().DeviceTotalMem(&bytes, out.ordinal), "cuDeviceTotalMem_v2");
  out.memory_bytes = bytes;

  const auto get = [&](DeviceAttribute which) { return attribute(out.ordinal, which); };
  out.capability_major = get(DeviceAttribute::kComputeCapabilityMajor);
  out.capability_minor = get(DeviceAttribute::kComputeCapabilityMinor);
  out.multiprocessors = get(DeviceAttribute::kMultiprocessors);
  out.l2_bytes = static_cast<std::uint64_t>(get(DeviceAttribute::kL2_bytes));
  out.persisting_l2_bytes = static_cast<std::uint64_t>(get(DeviceAttribute::kMaxPersistingL2_bytes));
  out.shared_per_block_bytes = get(DeviceAttribute::kSharedMemoryPerBlock);
  out.shared_per_block_optin_bytes = get(DeviceAttribute::kSharedMemoryPerBlockOptin);
  out.shared_per_multiprocessor_bytes = get(DeviceAttribute::kSharedMemoryPerMultiprocessor);
  out.shared_reserved_per_block_bytes = get(DeviceAttribute::kReservedSharedMemoryPerBlock);
  out.registers_per_multiprocessor = get(DeviceAttribute::kRegistersPerMultiprocessor);
  out.threads_per_multiprocessor = get(DeviceAttribute::kMaxThreadsPerMultiprocessor);
  out.blocks_per_multiprocessor = get(DeviceAttribute::kMaxBlocksPerMultiprocessor);
  out.threads_per_block = get(DeviceAttribute::kMaxThreadsPerBlock);
  out.warp_threads = get(DeviceAttribute::kWarpSize);
  out.memory_bus_bits = get(DeviceAttribute::kMemoryBusWidth_bits);
  out.clock_kHz = get(DeviceAttribute::kClockRate_kHz);
  out.memory_clock_kHz = get(DeviceAttribute::kMemoryClockRate_kHz);
  out.ecc = get(DeviceAttribute::kEccEnabled) != 0;
  out.integrated = get(DeviceAttribute::kIntegrated) != 0;
  out.kernel_timeout = get(DeviceAttribute::kKernelTimeout) != 0;
  out.cooperative_launch = get(DeviceAttribute::kCooperativeLaunch) != 0;
  out.cluster_launch = get(DeviceAttribute::kClusterLaunch) != 0;
  out.unusable = why_unusable(out, get(DeviceAttribute::kComputeMode));
  return out;
}

std::string device_choices(const std::vector<DeviceInfo>& devices) {
  std::string out;
  for (const DeviceInfo& device : devices) {
    out += (out.empty() ? "" : ", ") + std::to_string(device.index) + " = " + device.label();
  }
  return out.empty() ? "there is none" : out;
}

const DeviceInfo& require_usable(const DeviceInfo& device) {
  if (device.unusable) throw Error("device", device.label() + " cannot be used: " + *device.unusable + ".");
  return device;
}

}  // namespace

std::string uuid_text(const api::Uuid& uuid) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::vector<DeviceInfo> list_devices() {
  // Cached, because a query takes a millisecond per device. The device list of a process only changes when the process
  // loses a device.
  static std::mutex mutex;
  static std::vector<DeviceInfo> known;
  const std::scoped_lock lock(mutex);
  if (known.empty()) {
    int count = 0;
    require(driver().DeviceGetCount(&count), "cuDeviceGetCount");
    std::vector<DeviceInfo> seen;
    for (int i = 0; i < count; ++i) seen.push_back(describe(i));
    known = std::move(seen);
  }
  for (DeviceInfo& device : known) {
    if (const auto lost = lost_reason(device.uuid)) device.unusable = "lost until the program is restarted: " + *lost;
  }
  return known;
}

const DeviceInfo& select_device(const std::vector<DeviceInfo>& devices, std::string_view selector) {
  if (selector.empty()) {
    for (const DeviceInfo& device : devices) {
      if (!device.unusable) return device;
    }
    if (devices.empty()) throw Error("device", "There is no CUDA device.");
    return require_usable(devices.front());
  }
  int index = -1;
  const auto [end, error] = std::from_chars(selector.data(), selector.data() + selector.size(), index);
  if (error == std::errc{} && end == selector.data() + selector.size()) {
    for (const DeviceInfo& device : devices) {
      if (device.index == index) return require_usable(device);
    }
  }
  // The first group of a UUID has eight digits. Fewer digits could be a mistyped index.
  const std::string_view digits = selector.starts_with("GPU-") ? selector.substr(4) : selector;
  const DeviceInfo* match = nullptr;
  for (const DeviceInfo& device : devices) {
    if (digits.size() < 8 || !std::string_view(device.uuid).substr(4).starts_with(digits)) continue;
    if (match)
      throw Error("invalid", "More than one CUDA device has a UUID that begins with " + std::string(selector) + ": " +
                                 device_choices(devices) + ".");
    match = &device;
  }
  if (!match) {
    throw Error("invalid",
                "There is no CUDA device " + std::string(selector) + "; available: " + device_choices(devices) + ".");
  }
  return require_usable(*match);
}

}  // namespace bb::cuda
