#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace bb::cuda {

/// A shared library that stays open during the lifetime of the object.
class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  DynamicLibrary(DynamicLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~DynamicLibrary();

  /// Opens `name`: the system's loader searches for a bare file name; a path is opened directly. On failure the object
  /// is empty and `error` has the loader's message.
  static DynamicLibrary open(const std::filesystem::path& name, std::string& error);

  explicit operator bool() const { return handle_ != nullptr; }

  /// Returns the address of an exported function, or null.
  void* symbol(const char* name) const;

  /// Returns the file that contains `address`, if the system can tell.
  static std::optional<std::filesystem::path> file_of(const void* address);

 private:
  explicit DynamicLibrary(void* handle) : handle_(handle) {}
  void* handle_ = nullptr;
};

}  // namespace bb::cuda
