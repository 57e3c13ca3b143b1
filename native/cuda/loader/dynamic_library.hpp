#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace bb::cuda {

/// A shared library held open for the life of the object.
class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  DynamicLibrary(DynamicLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~DynamicLibrary();

  /// Opens `name`: a bare file name is looked up by the system's loader, a path is opened as given. On failure the
  /// object is empty and `error` holds the loader's own words.
  static DynamicLibrary open(const std::filesystem::path& name, std::string& error);

  explicit operator bool() const { return handle_ != nullptr; }

  /// Address of an exported function, or null.
  void* symbol(const char* name) const;

  /// File that holds `address`, where the system can tell.
  static std::optional<std::filesystem::path> file_of(const void* address);

 private:
  explicit DynamicLibrary(void* handle) : handle_(handle) {}
  void* handle_ = nullptr;
};

}  // namespace bb::cuda
