#include "kernel_library.hpp"

#include <optional>

#include "../loader/libraries.hpp"
#include "cpu/stopwatch.hpp"
#include "files.hpp"
#include "user_kernels.hpp"

namespace bb::cuda {
namespace {

using cpu::Clock;
using cpu::seconds_since;

std::optional<LoadedKernels> from_fatbin(const std::shared_ptr<Device>& device, const std::string& workload,
                                         const std::filesystem::path& folder, std::string& reason) {
  const Clock::time_point start = Clock::now();
  const std::filesystem::path file = folder / (workload + ".fatbin");
  const auto image = read_file(file);
  if (!image || image->empty()) {
    reason = file.string() + " does not exist (no nvcc when the program was built)";
    return std::nullopt;
  }
  try {
    Module module(device, *image, workload);
    return LoadedKernels{std::move(module), nullptr, seconds_since(start)};
  } catch (const Error& error) {
    if (error.code() != "unsupported") throw;
    reason = error.what();
    return std::nullopt;
  }
}

LoadedKernels from_source(const std::shared_ptr<Device>& device, const std::string& workload,
                          const KernelFolders& folders) {
  const Clock::time_point start = Clock::now();
  auto pieces = std::make_unique<PiecewiseKernels>(
      device, workload, kernel_pieces(folders.sources / workload / (workload + ".cu"), folders.sources),
      ImageCache(folders.cache));
  PiecewiseKernels* const same = pieces.get();
  return LoadedKernels{Module(device, std::move(pieces), workload), same, seconds_since(start)};
}

LoadedKernels load_shipped(const std::shared_ptr<Device>& device, const std::string& name,
                           const KernelFolders& folders) {
  std::string no_fatbin;
  if (auto loaded = from_fatbin(device, name, folders.images, no_fatbin)) return std::move(*loaded);
  const LibraryState& nvrtc = nvrtc_library().state;
  if (!nvrtc.available) {
    throw Error("unsupported", "There are no kernels of " + name + " for " + device->info().label() + ": " + no_fatbin +
                                   ", and they cannot be compiled now: " + nvrtc.reason);
  }
  try {
    return from_source(device, name, folders);
  } catch (const CompileError&) {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Error("unsupported", "There are no kernels of " + name + " for " + device->info().label() + ": " + no_fatbin +
                                   ", and compiling them now fails: " + error.what());
  }
}

}  // namespace

LoadedKernels load_kernels(const std::shared_ptr<Device>& device, std::string_view workload,
                           const KernelFolders& folders) {
  LoadedKernels loaded = load_shipped(device, std::string(workload), folders);
  if (const auto& own = user_kernels(); own && own->workload == workload) {
    loaded.module.prefer(Module(device, own->image, own->name));
  }
  return loaded;
}

}  // namespace bb::cuda
