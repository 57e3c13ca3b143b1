#include "user_library.hpp"

#include <memory>
#include <string>

#include "cuda/loader/dynamic_library.hpp"
#include "engine/problem_error.hpp"

namespace bb::cpu {
namespace {

struct LoadedLibrary {
  std::string name;
  cuda::DynamicLibrary library;
  const UserKernel* variant = nullptr;
};

/// The library is never unloaded, because its code may still run when the process ends.
LoadedLibrary*& loaded_library() {
  static LoadedLibrary* one = nullptr;
  return one;
}

}  // namespace

void use_user_library(const std::filesystem::path& file) {
  auto own = std::make_unique<LoadedLibrary>();
  own->name = file.filename().string();
  std::string error;
  own->library = cuda::DynamicLibrary::open(file, error);
  if (!own->library) throw ProblemError("invalid", own->name + " cannot be loaded: " + error);
  const auto entry = reinterpret_cast<UserKernelEntry>(own->library.symbol(kUserKernelEntry));
  if (entry == nullptr) throw ProblemError("invalid", own->name + " has no function " + kUserKernelEntry);
  own->variant = entry();
  if (own->variant->version != kUserKernelVersion) {
    throw ProblemError("unsupported", own->name + " implements version " + std::to_string(own->variant->version) +
                                          " of the interface; allowed: " + std::to_string(kUserKernelVersion));
  }
  if (own->variant->make == nullptr) {
    throw ProblemError("invalid", own->name + " no longer registers the variant on which it is based");
  }
  loaded_library() = own.release();
}

void (*user_kernel_make(std::string_view workload, std::string_view bench, std::string_view variant,
                        std::uint64_t layout))() {
  const LoadedLibrary* own = loaded_library();
  if (own == nullptr || workload != own->variant->workload || bench != own->variant->bench ||
      variant != own->variant->variant) {
    return nullptr;
  }
  if (own->variant->layout != layout) {
    throw ProblemError("unsupported",
                       own->name +
                           " was compiled with a different layout of the engine's types than this program: "
                           "use the same compiler and standard library");
  }
  return own->variant->make;
}

}  // namespace bb::cpu
