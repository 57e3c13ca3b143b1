#include "dynamic_library.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace bb::cuda {

#ifdef _WIN32

DynamicLibrary DynamicLibrary::open(const std::filesystem::path& name, std::string& error) {
  // With a full path, the loader also searches the library's folder for its dependencies.
  const DWORD flags = name.is_absolute() ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS : 0;
  HMODULE handle = LoadLibraryExW(name.c_str(), nullptr, flags);
  if (!handle) error = "Windows error " + std::to_string(GetLastError());
  return DynamicLibrary(handle);
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_) FreeLibrary(static_cast<HMODULE>(handle_));
}

void* DynamicLibrary::symbol(const char* name) const {
  return handle_ ? reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name)) : nullptr;
}

std::optional<std::filesystem::path> DynamicLibrary::file_of(const void* address) {
  HMODULE module = nullptr;
  const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(flags, static_cast<LPCWSTR>(address), &module)) return std::nullopt;
  wchar_t text[32768];
  const DWORD length = GetModuleFileNameW(module, text, 32768);
  if (length == 0) return std::nullopt;
  return std::filesystem::path(std::wstring(text, length));
}

#else

DynamicLibrary DynamicLibrary::open(const std::filesystem::path& name, std::string& error) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* text = dlerror();
    error = text ? text : "unknown loader error";
  }
  return DynamicLibrary(handle);
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_) dlclose(handle_);
}

void* DynamicLibrary::symbol(const char* name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

std::optional<std::filesystem::path> DynamicLibrary::file_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || !info.dli_fname) return std::nullopt;
  return std::filesystem::path(info.dli_fname);
}

#endif

}  // namespace bb::cuda
