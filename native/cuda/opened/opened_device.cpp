#include "opened_device.hpp"

#include <cstdlib>
#include <map>
#include <mutex>

#include "../loader/libraries.hpp"
#include "cuda/compile/kernel_library.hpp"
#include "cuda/device/error.hpp"

namespace bb::cuda {
namespace {

std::string selector_or_default(const std::string& selector) {
  if (!selector.empty()) return selector;
  const char* variable = std::getenv("BRAGGBENCH_CUDA_DEVICE");
  return variable != nullptr ? variable : "";
}

/// Loading takes milliseconds and compiling seconds, so modules are cached per device and workload until the process
/// ends.
std::shared_ptr<const LoadedKernels> kernels_on(const std::shared_ptr<Device>& device, const std::string& workload) {
  struct LoadedByImage {
    std::mutex mutex;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<const LoadedKernels>> all;
  };
  // Never destroyed, because at exit the driver may be unloaded before it.
  static auto* const kept = std::make_unique<LoadedByImage>().release();
  const std::scoped_lock lock(kept->mutex);
  auto& kernels = kept->all[{device->info().uuid, workload}];
  if (!kernels) kernels = std::make_shared<const LoadedKernels>(load_kernels(device, workload, kernel_folders()));
  return kernels;
}

}  // namespace

DeviceInfo chosen_device(const std::string& selector) {
  const auto devices = list_devices();
  return select_device(devices, selector_or_default(selector));
}

std::shared_ptr<Device> open_device(const std::string& selector) {
  auto device = Device::open(chosen_device(selector));
  device->make_current();
  return device;
}

OpenedDevice OpenedDevice::open(const std::string& selector, const std::string& workload) {
  return on_device([&] {
    OpenedDevice out;
    engine::add_part(out.parts, "device", [&] { out.device = open_device(selector); });
    engine::add_part(out.parts, "kernels", [&] { out.kernels = kernels_on(out.device, workload); });
    return out;
  });
}

namespace {

/// Number of threads that are in warm_kernels() for each workload.
struct WarmingCounts {
  std::mutex mutex;
  std::map<std::string, int> threads;
};

WarmingCounts& warming_counts() {
  static WarmingCounts all;
  return all;
}

}  // namespace

std::optional<PiecewiseKernels::Counts> warm_kernels(const std::string& selector, const std::string& workload) {
  const OpenedDevice opened = OpenedDevice::open(selector, workload);
  PiecewiseKernels* const pieces = opened.kernels->pieces;
  if (pieces == nullptr) return std::nullopt;
  const auto add = [&workload](int threads) {
    const std::scoped_lock lock(warming_counts().mutex);
    warming_counts().threads[workload] += threads;
  };
  add(1);
  const std::shared_ptr<void> end(nullptr, [&add](void*) { add(-1); });
  return on_device([&] {
    pieces->prepare_all();
    return pieces->counts();
  });
}

bool kernels_warming(const std::string& workload) {
  const std::scoped_lock lock(warming_counts().mutex);
  const auto found = warming_counts().threads.find(workload);
  return found != warming_counts().threads.end() && found->second > 0;
}

std::string unavailable(const std::string& workload) {
  const LibraryState& driver = driver_library().state;
  if (!driver.available) return driver.reason;
  try {
    const DeviceInfo info = chosen_device("");
    if (const auto lost = lost_reason(info.uuid)) {
      return info.label() + " is lost until the program is restarted: " + *lost;
    }
  } catch (const Error& error) {
    return error.what();
  }
  const KernelFolders& folders = kernel_folders();
  std::error_code ignored;
  const auto image = folders.images / (workload + ".fatbin");
  if (std::filesystem::exists(image, ignored)) return "";
  if (!std::filesystem::exists(folders.sources / workload / (workload + ".cu"), ignored)) {
    return "there are no CUDA kernels: neither " + image.string() + " nor their sources exist";
  }
  const LibraryState& nvrtc = nvrtc_library().state;
  if (nvrtc.available) return "";
  return image.string() +
         " does not exist (no nvcc when the program was built) and the kernels cannot be compiled now: " + nvrtc.reason;
}

double usual_memory_bytes() {
  try {
    return static_cast<double>(chosen_device("").memory_bytes);
  } catch (const Error&) {
    return 0.0;
  }
}

}  // namespace bb::cuda
