#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

/// A user variant: the sources of a shipped variant with one file replaced, compiled into a shared library by the C++
/// compiler of the user's machine. It is loaded into a separate process, where it replaces the shipped variant.
namespace bb::cpu {

inline constexpr std::uint32_t kUserKernelVersion = 2;
inline constexpr const char* kUserKernelEntry = "braggbench_user_kernel";

// Result of the library's one exported function.
struct UserKernel {
  std::uint32_t version;  // equals kUserKernelVersion
  std::uint64_t layout;   // layout_of<…>() of the shared types, as compiled into the library
  const char* workload;
  const char* bench;    // for workloads with several benches; "" otherwise
  const char* variant;  // shipped variant that it replaces; "" if the library has another id
  void (*make)();       // factory of the workload, cast to this type
};
using UserKernelEntry = const UserKernel* (*)();

/// Hash of the memory layout of `Types`. Differs between compilers with another standard library or other headers.
template <typename... Types>
constexpr std::uint64_t layout_of() {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::size_t part : {sizeof(Types)..., alignof(Types)...}) hash = (hash ^ part) * 1099511628211u;
  return hash;
}

/// Loads a library for the rest of the process. Throws ProblemError that names the file.
void use_user_library(const std::filesystem::path& file);

// Returns the factory that replaces a variant, or null. Throws ProblemError if the library was built for another
// layout.
void (*user_kernel_make(std::string_view workload, std::string_view bench, std::string_view variant,
                        std::uint64_t layout))();

/// Finds the variant from which a library was made in `variants`, the list of a workload.
template <typename Variants>
UserKernel user_kernel_among(const Variants& variants, const char* workload, const char* bench, std::string_view id,
                             std::uint64_t layout) {
  for (const auto& variant : variants) {
    if (id == variant.id) {
      return {kUserKernelVersion, layout, workload, bench, variant.id, reinterpret_cast<void (*)()>(variant.make)};
    }
  }
  return {kUserKernelVersion, layout, workload, bench, "", nullptr};
}

// Returns the factory of a shipped variant, or of the user variant that replaces it.
template <typename Variant>
auto factory_of(const Variant& variant, std::string_view workload, std::string_view bench, std::uint64_t layout)
    -> decltype(variant.make) {
  const auto own = user_kernel_make(workload, bench, variant.id, layout);
  return own != nullptr ? reinterpret_cast<decltype(variant.make)>(own) : variant.make;
}

}  // namespace bb::cpu

#ifdef _WIN32
#define BB_EXPORT __declspec(dllexport)
#else
#define BB_EXPORT __attribute__((visibility("default")))
#endif

/// Defines the entry point of a user's library. The header kernels/<folder>/user_kernel.hpp has the function that finds
/// the variant.
#define BB_USER_KERNEL(folder, bench, id)                                      \
  extern "C" BB_EXPORT const bb::cpu::UserKernel* braggbench_user_kernel() {   \
    static const bb::cpu::UserKernel own = bb::folder::user_kernel(bench, id); \
    return &own;                                                               \
  }
