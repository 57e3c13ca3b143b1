#include "kernel_library.hpp"

#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "../loader/libraries.hpp"
#include "cpu/stopwatch.hpp"
#include "files.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace bb::cuda {
namespace {

namespace fs = std::filesystem;

/// Path of the binary that contains this function: the addon, or the program that it is linked into.
fs::path own_file() {
#ifdef _WIN32
  HMODULE module = nullptr;
  const auto flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(flags, reinterpret_cast<LPCWSTR>(&own_file), &module)) return {};
  wchar_t text[32768];
  const DWORD length = GetModuleFileNameW(module, text, 32768);
  return fs::path(text, text + length);
#else
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
#endif
}

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? fs::path(value) : fs::path();
}

fs::path user_cache() {
  if (const fs::path named = variable("BRAGGBENCH_CACHE"); !named.empty()) return named;
#ifdef _WIN32
  const fs::path local = variable("LOCALAPPDATA");
  return local.empty() ? fs::path() : local / "Braggbench" / "Cache";
#else
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "braggbench";
  const fs::path home = variable("HOME");
  if (home.empty()) return {};
#ifdef __APPLE__
  return home / "Library" / "Caches" / "braggbench";
#else
  return home / ".cache" / "braggbench";
#endif
#endif
}

KernelFolders find() {
  KernelFolders out;
  out.images = variable("BRAGGBENCH_KERNELS");
  if (out.images.empty()) {
    std::error_code ignored;
    const fs::path file = fs::weakly_canonical(own_file(), ignored);
    out.images = file.parent_path().parent_path() / "kernels";
  }
  out.sources = out.images / "source";
  out.cache = user_cache();
  return out;
}

}  // namespace

const KernelFolders& kernel_folders() {
  static const KernelFolders folders = find();
  return folders;
}

namespace {

std::optional<UserKernels>& kept() {
  static std::optional<UserKernels> kernels;
  return kernels;
}

}  // namespace

void use_user_kernels(UserKernels kernels) { kept() = std::move(kernels); }

const std::optional<UserKernels>& user_kernels() { return kept(); }

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
