#include "kernel_folders.hpp"

#include <cstdlib>
#include <system_error>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace bb::cuda {
namespace {

namespace fs = std::filesystem;

/// The file that holds this function: the addon, or the program that it is linked into.
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

}  // namespace bb::cuda
