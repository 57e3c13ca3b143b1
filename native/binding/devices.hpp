#pragma once

#include <napi.h>

namespace bb::binding {

/// devices({ cache? }): the device report of electron/contract/devices.ts. `cache` is the folder of measured
/// ceilings. Opens NVIDIA's libraries on the first call, which takes up to a second where they are installed.
Napi::Value devices(const Napi::CallbackInfo& info);

/// driverDevices(): its part `cuda` as the driver alone knows it. No other library is opened: clocks, free memory,
/// ceilings and the driver's version are null.
Napi::Value driver_devices(const Napi::CallbackInfo& info);

/// clockState({ device }): NVML's reading of the device with that UUID, or null without it.
Napi::Value clock_state(const Napi::CallbackInfo& info);

/// lockClocks({ device, sm_MHz }): keeps the multiprocessor clock of the device with that UUID for all programs;
/// null unlocks it. Why that cannot be, or null.
Napi::Value lock_clocks(const Napi::CallbackInfo& info);

/// warmKernels({ workload, device? }): a promise of what compiling every kernel of the workload took, or of null where there
/// is a fat binary. Rejects as `measureCeilings` does.
Napi::Value warm_kernels(const Napi::CallbackInfo& info);

/// measureCeilings({ device?, images, sources, cache, force? }): a promise of the device's ceilings, measured
/// on a thread of its own unless `cache` has them and `force` is not set. `device` is an index or UUID.
/// Rejects with an Error whose `code` is 'invalid', 'memory', 'unsupported' or 'device'.
Napi::Value measure_ceilings(const Napi::CallbackInfo& info);

}  // namespace bb::binding
