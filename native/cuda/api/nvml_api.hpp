#pragma once

#include <cstdint>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "resolve.hpp"

// Declarations of the part of NVML in use, from NVIDIA's NVML API reference, in the library's stable v1 forms.
namespace bb::cuda::api {

using NvmlStatus = int;
using NvmlDevice = struct NvmlDeviceTag*;

struct NvmlMemory {
  unsigned long long total, free, used;  // bytes
};

enum class NvmlClock : int { kGraphics = 0, kMultiprocessor = 1, kMemory = 2 };
inline constexpr int kNvmlTemperatureGpu = 0;

/// Bits of nvmlClocksEventReasons ("ThrottleReasons" before driver 535).
namespace clock_reason {
inline constexpr std::uint64_t kGpuIdle = 0x1, kApplicationSetting = 0x2, kSoftwarePowerCap = 0x4,
                               kHardwareSlowdown = 0x8, kSyncBoost = 0x10, kSoftwareThermal = 0x20,
                               kHardwareThermal = 0x40, kHardwarePowerBrake = 0x80, kDisplaySetting = 0x100;
}

#define BB_CUDA_NVML_REQUIRED(X)                                                                           \
  X(Init, nvmlInit_v2, ())                                                                                 \
  X(ErrorString, nvmlErrorString, (NvmlStatus status), const char*)                                        \
  X(SystemGetDriverVersion, nvmlSystemGetDriverVersion, (char* text, unsigned length))                     \
  X(DeviceGetHandleByUuid, nvmlDeviceGetHandleByUUID, (const char* uuid, NvmlDevice* device))              \
  X(DeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo, (NvmlDevice device, NvmlMemory * memory))                \
  X(DeviceGetClockInfo, nvmlDeviceGetClockInfo, (NvmlDevice device, NvmlClock clock, unsigned* mhz))       \
  X(DeviceGetMaxClockInfo, nvmlDeviceGetMaxClockInfo, (NvmlDevice device, NvmlClock clock, unsigned* mhz)) \
  X(DeviceGetPowerUsage, nvmlDeviceGetPowerUsage, (NvmlDevice device, unsigned* milliwatts))               \
  X(DeviceGetPowerLimit, nvmlDeviceGetEnforcedPowerLimit, (NvmlDevice device, unsigned* milliwatts))       \
  X(DeviceGetTemperature, nvmlDeviceGetTemperature, (NvmlDevice device, int sensor, unsigned* celsius))

struct NvmlApi {
  template <typename Return = NvmlStatus>
  using Returned = Return;
#define BB_MEMBER(member, symbol, parameters, ...) Returned<__VA_ARGS__>(BB_CUDA_CALL * member) parameters = nullptr;
  BB_CUDA_NVML_REQUIRED(BB_MEMBER)
#undef BB_MEMBER
  // Renamed from …ThrottleReasons to …EventReasons in driver 535; either name is accepted.
  NvmlStatus(BB_CUDA_CALL* DeviceGetClockReasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;
  // Newer functions, or functions that some systems lack; null if the library has none.
  NvmlStatus(BB_CUDA_CALL* DeviceGetTotalEnergy)(NvmlDevice device, unsigned long long* millijoules) = nullptr;
  NvmlStatus(BB_CUDA_CALL* DeviceGetPersistenceMode)(NvmlDevice device, int* enabled) = nullptr;
  NvmlStatus(BB_CUDA_CALL* DeviceSetLockedClocks)(NvmlDevice device, unsigned low_MHz, unsigned high_MHz) = nullptr;
  NvmlStatus(BB_CUDA_CALL* DeviceResetLockedClocks)(NvmlDevice device) = nullptr;

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

}  // namespace bb::cuda::api
