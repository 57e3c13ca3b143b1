#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic_library.hpp"

namespace bb::cuda {

/// Reads one environment variable; tests supply their own function.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;
Environment process_environment();

/// A library that is opened at run time.
struct LibraryKind {
  std::string_view title;                        // name for messages, such as "NVRTC"
  std::span<const std::string_view> names;       // bare file names, newest first
  std::span<const std::string_view> wildcards;   // prefixes of versioned names, which no list can cover
  std::span<const std::string_view> companions;  // prefixes of files that it opens by bare name
  std::string_view remedy;                       // one clause: where to get it
};

extern const LibraryKind kDriverLibrary, kNvmlLibrary, kNvrtcLibrary, kCuptiLibrary, kCublasLibrary, kCublasLtLibrary,
    kCusparseLibrary, kCufftLibrary;

/// Folders searched in addition to the system's, in order and without duplicates: first BRAGGBENCH_CUDA_LIBS (folders
/// of libraries, or a Python `nvidia` package folder, of which */lib are searched); then CUDA_PATH and CUDA_HOME with
/// their usual library folders; then the toolkit's default location. Only existing folders are returned.
std::vector<std::filesystem::path> library_folders(const Environment& environment);

struct FoundLibrary {
  DynamicLibrary library;
  std::string reason;  // reason why there is none, in one sentence; empty if found
};

/// Opens the first library that loads, from BRAGGBENCH_CUDA_LIBS, the system's loader, then the other folders.
FoundLibrary find_library(const LibraryKind& kind, const Environment& environment);

}  // namespace bb::cuda
