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

/// Reads one environment variable; tests pass their own.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;
Environment process_environment();

/// A library that we open at run time.
struct LibraryKind {
  std::string_view title;                        // as the user reads it: "NVRTC"
  std::span<const std::string_view> names;       // bare file names, newest first
  std::span<const std::string_view> wildcards;   // prefixes of versioned names that no list can keep up with
  std::span<const std::string_view> companions;  // prefixes of files in its folder that it opens by bare name
  std::string_view remedy;                       // one clause: where it comes from
};

extern const LibraryKind kDriverLibrary, kNvmlLibrary, kNvrtcLibrary, kCuptiLibrary, kCublasLibrary, kCublasLtLibrary,
    kCusparseLibrary, kCufftLibrary;

/// Folders searched besides the system's own, in order and without duplicates: BRAGGBENCH_CUDA_LIBS
/// (folders of libraries, or a Python `nvidia` package folder whose */lib are meant); then CUDA_PATH and
/// CUDA_HOME with their usual library folders, then the toolkit's default place. Only folders that exist.
std::vector<std::filesystem::path> library_folders(const Environment& environment);

struct FoundLibrary {
  DynamicLibrary library;
  std::string reason;  // why there is none, one sentence; empty when there is one
};

/// Opens the first that loads: BRAGGBENCH_CUDA_LIBS, the system's loader, then the other folders.
FoundLibrary find_library(const LibraryKind& kind, const Environment& environment);

}  // namespace bb::cuda
