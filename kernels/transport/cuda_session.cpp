#include "cuda_session.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include "cuda/compile/kernel_folders.hpp"
#include "cuda/device/health.hpp"
#include "cuda/loader/libraries.hpp"

namespace bb::transport {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string chosen(const std::string& selector) {
  if (!selector.empty()) return selector;
  const char* variable = std::getenv("BRAGGBENCH_CUDA_DEVICE");
  return variable != nullptr ? variable : "";
}

/// Loading takes milliseconds, compiling seconds: kept per device for the life of the process.
std::shared_ptr<const cuda::LoadedKernels> kernels_on(const std::shared_ptr<cuda::Device>& device) {
  struct Loaded {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const cuda::LoadedKernels>> by_device;
  };
  // Never destroyed: at exit the driver may be gone before us.
  static auto* const loaded = std::make_unique<Loaded>().release();
  const std::scoped_lock lock(loaded->mutex);
  auto& kernels = loaded->by_device[device->info().uuid];
  if (!kernels) {
    kernels =
        std::make_shared<const cuda::LoadedKernels>(cuda::load_kernels(device, "transport", cuda::kernel_folders()));
  }
  return kernels;
}

}  // namespace

CudaSession CudaSession::open(const std::string& selector) {
  return on_device([&] {
    CudaSession out;
    Clock::time_point start = Clock::now();
    out.device = cuda::Device::open(cuda::select_device(cuda::list_devices(), chosen(selector)));
    out.device->make_current();
    out.parts.push_back({"device", seconds_since(start)});
    start = Clock::now();
    out.kernels = kernels_on(out.device);
    out.parts.push_back({"kernels", seconds_since(start)});
    return out;
  });
}

std::string cuda_unavailable() {
  const cuda::LibraryState& driver = cuda::driver_library().state;
  if (!driver.available) return driver.reason;
  try {
    const auto devices = cuda::list_devices();
    const cuda::DeviceInfo& info = cuda::select_device(devices, chosen(""));
    if (const auto lost = cuda::lost_reason(info.uuid)) {
      return info.label() + " is lost until the program is restarted: " + *lost;
    }
  } catch (const cuda::Error& error) {
    return error.what();
  }
  const cuda::KernelFolders& folders = cuda::kernel_folders();
  std::error_code ignored;
  const auto image = folders.images / "transport.fatbin";
  if (std::filesystem::exists(image, ignored)) return "";
  if (!std::filesystem::exists(folders.sources / "transport" / "transport.cu", ignored)) {
    return "there are no CUDA kernels: neither " + image.string() + " nor their sources exist";
  }
  const cuda::LibraryState& nvrtc = cuda::nvrtc_library().state;
  if (nvrtc.available) return "";
  return image.string() +
         " does not exist (no nvcc when the program was built) and the kernels cannot be compiled now: " + nvrtc.reason;
}

double cuda_memory_bytes() {
  try {
    const auto devices = cuda::list_devices();
    return static_cast<double>(cuda::select_device(devices, chosen("")).memory_bytes);
  } catch (const cuda::Error&) {
    return 0.0;
  }
}

}  // namespace bb::transport
