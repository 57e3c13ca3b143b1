#include "device.hpp"

#include <cstdlib>
#include <map>
#include <mutex>

#include "cpu/memory.hpp"
#include "error.hpp"

namespace bb::cuda {
namespace {

std::string text_of(std::uint64_t bytes) { return cpu::bytes_text(static_cast<double>(bytes)); }

/// Disables reuse when a memory checker runs. Blocks are then always new and have exactly the requested size, so that
/// the checker detects accesses beyond their end.
Reuse unless_sanitized(Reuse reuse) {
  static const bool sanitized = std::getenv("BRAGGBENCH_SANITIZED") != nullptr;
  return sanitized ? Reuse::kNo : reuse;
}

/// Memory left free beyond any estimate. A context's local-memory pool, graph uploads and lazily loaded code grow after
/// the estimate is checked; 256 MiB was enough on every device tried.
constexpr std::uint64_t kReserve_bytes = 256ull << 20;

/// Limits of the memory cached between runs: a share of the device's memory, and an amount of page-locked memory. With
/// 80 GB of device memory, the cache has room for both states of the default beam with path stepping (26 GB). The
/// memory of a run with depth stepping fits too.
constexpr double kCachedShare = 0.4;
constexpr std::size_t kMaxCachedPinned_bytes = std::size_t{64} << 20;

struct OpenDevices {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Device>> devices;
};

OpenDevices& open_devices() {
  // Never destroyed, because the driver may be unloaded before it when the process exits.
  static auto* const all = std::make_unique<OpenDevices>().release();
  return *all;
}

}  // namespace

std::shared_ptr<Device> Device::open(const DeviceInfo& info) {
  if (const auto reason = lost_reason(info.uuid)) {
    throw Error("device", info.label() + " is lost until the program is restarted: " + *reason);
  }
  if (info.unusable) throw Error("device", info.label() + " cannot be used: " + *info.unusable + ".");
  OpenDevices& open = open_devices();
  const std::scoped_lock lock(open.mutex);
  std::shared_ptr<Device>& device = open.devices[info.uuid];
  if (!device) device = std::make_shared<Device>(info);
  return device;
}

Device::Device(const DeviceInfo& info)
    : info_(info),
      memory_(static_cast<std::size_t>(kCachedShare * static_cast<double>(info.memory_bytes))),
      pinned_(kMaxCachedPinned_bytes) {
  check(driver().DevicePrimaryCtxRetain(&context_, info_.ordinal), "cuDevicePrimaryCtxRetain");
}

Device::~Device() { driver().DevicePrimaryCtxRelease(info_.ordinal); }

void Device::make_current() const { check(driver().CtxSetCurrent(context_), "cuCtxSetCurrent"); }

void Device::synchronize() const {
  make_current();
  check(driver().CtxSynchronize(), "cuCtxSynchronize");
}

DeviceMemory Device::memory() const {
  make_current();
  std::size_t free = 0, total = 0;
  check(driver().MemGetInfo(&free, &total), "cuMemGetInfo_v2");
  return {free + memory_.bytes(), total};
}

AllocatedBlock<api::DevicePointer> Device::allocate_memory(std::size_t bytes, Reuse wanted) {
  const Reuse reuse = unless_sanitized(wanted);
  AllocatedBlock<api::DevicePointer> out{.bytes = bytes, .reuse = reuse};
  if (bytes == 0) return out;
  if (reuse == Reuse::kYes) {
    out.bytes = memory_.rounded(bytes);
    if (const std::size_t size = memory_.take(bytes, out.pointer); size > 0) {
      out.bytes = size;
      return out;
    }
  }
  make_current();
  api::Status status = driver().MemAlloc(&out.pointer, out.bytes);
  if (status == api::status::kOutOfMemory) {
    for (const api::DevicePointer kept : memory_.drain()) driver().MemFree(kept);
    status = driver().MemAlloc(&out.pointer, out.bytes);
  }
  if (status == api::status::kOutOfMemory) {
    const DeviceMemory now = memory();
    throw Error("memory", "An allocation of " + text_of(bytes) + " on " + info().label() + " failed; " +
                              text_of(now.free_bytes) + " of " + text_of(now.total_bytes) + " are free.");
  }
  check(status, "cuMemAlloc_v2");
  return out;
}

void Device::release_memory(const AllocatedBlock<api::DevicePointer>& taken) noexcept {
  if (taken.pointer == 0) return;
  std::vector<api::DevicePointer> unkept{taken.pointer};
  if (taken.reuse == Reuse::kYes) unkept = memory_.keep(taken.bytes, taken.pointer);
  if (unkept.empty()) return;
  driver().CtxSetCurrent(context_);
  for (const api::DevicePointer pointer : unkept) driver().MemFree(pointer);
}

AllocatedBlock<void*> Device::allocate_pinned(std::size_t bytes, Reuse reuse) {
  AllocatedBlock<void*> out{.bytes = bytes, .reuse = reuse};
  if (bytes == 0) return out;
  if (reuse == Reuse::kYes) {
    out.bytes = pinned_.rounded(bytes);
    if (const std::size_t size = pinned_.take(bytes, out.pointer); size > 0) {
      out.bytes = size;
      return out;
    }
  }
  make_current();
  check(driver().MemAllocHost(&out.pointer, out.bytes), "cuMemAllocHost_v2");
  return out;
}

void Device::release_pinned(const AllocatedBlock<void*>& taken) noexcept {
  if (taken.pointer == nullptr) return;
  std::vector<void*> unkept{taken.pointer};
  if (taken.reuse == Reuse::kYes) unkept = pinned_.keep(taken.bytes, taken.pointer);
  if (unkept.empty()) return;
  driver().CtxSetCurrent(context_);
  for (void* const pointer : unkept) driver().MemFreeHost(pointer);
}

void Device::fail(api::Status status, const char* call, std::string_view kernels) const {
  const bool sticky = is_sticky(status);
  const Error error({.code = status == api::status::kOutOfMemory ? "memory" : "device",
                     .call = call,
                     .name = status_name(status),
                     .text = status_text(status),
                     .device = info_.label(),
                     .kernel = std::string(kernels),
                     .sticky = sticky});
  if (sticky) mark_lost(info_.uuid, error.what());
  throw error;
}

void require_memory(const Device& device, std::uint64_t bytes, std::string_view what) {
  const DeviceMemory memory = device.memory();
  const std::uint64_t usable = memory.free_bytes > kReserve_bytes ? memory.free_bytes - kReserve_bytes : 0;
  if (bytes <= usable) return;
  throw Error("memory", std::string(what) + " needs " + text_of(bytes) + " of device memory; " + device.info().label() +
                            " has " + text_of(memory.free_bytes) + " free of " + text_of(memory.total_bytes) +
                            ", of which " + text_of(kReserve_bytes) + " are reserved for the driver.");
}

}  // namespace bb::cuda
