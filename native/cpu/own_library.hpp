#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

// A variant of a user's, compiled into a shared library by the C++ compiler of their machine: the shipped variant's
// sources with one file of them replaced. It is loaded into a process of its own, where it stands in for the variant
// that it was made from.
namespace bb::cpu {

inline constexpr std::uint32_t kOwnVersion = 1;
inline constexpr const char* kOwnEntry = "braggbench_own_variant";

/// What the library's one exported function gives.
struct OwnVariant {
  std::uint32_t version;  // kOwnVersion
  std::uint64_t layout;   // layout_of<…>() of the types that cross, as the library's compiler lays them out
  const char* workload;
  const char* variant;  // id of the shipped variant that it stands in for
  void (*make)();       // the workload's factory, cast
};
using OwnEntry = const OwnVariant* (*)();

/// Differs where two compilers lay `Types` out differently: another standard library, another set of headers.
template <typename... Types>
constexpr std::uint64_t layout_of() {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::size_t part : {sizeof(Types)..., alignof(Types)...}) hash = (hash ^ part) * 1099511628211u;
  return hash;
}

/// Loads a library for the rest of the process. Throws ProblemError that names the file.
void use_own_library(const std::filesystem::path& file);

/// The factory that stands in for a variant, or null. Throws ProblemError where the library was made for another layout.
void (*own_make(std::string_view workload, std::string_view variant, std::uint64_t layout))();

/// The same as the type that the workload's registry keeps.
template <typename Factory>
Factory own_factory(std::string_view workload, std::string_view variant, std::uint64_t layout) {
  return reinterpret_cast<Factory>(own_make(workload, variant, layout));
}

}  // namespace bb::cpu
