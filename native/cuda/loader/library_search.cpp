#include "library_search.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace bb::cuda {
namespace {

namespace fs = std::filesystem;

#ifdef _WIN32
constexpr char kListSeparator = ';';
constexpr std::array<std::string_view, 1> kDriverNames{"nvcuda.dll"};
constexpr std::array<std::string_view, 1> kNvmlNames{"nvml.dll"};
constexpr std::array<std::string_view, 3> kNvrtcNames{"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"};
// CUPTI's file name contains its release, as in cupti64_2024.3.2.dll; only the prefix is stable.
constexpr std::array<std::string_view, 0> kCuptiNames{};
constexpr std::array<std::string_view, 1> kCuptiWildcards{"cupti64_"};
constexpr std::array<std::string_view, 3> kCublasNames{"cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"};
constexpr std::array<std::string_view, 3> kCublasLtNames{"cublasLt64_13.dll", "cublasLt64_12.dll", "cublasLt64_11.dll"};
constexpr std::array<std::string_view, 2> kCusparseNames{"cusparse64_12.dll", "cusparse64_11.dll"};
constexpr std::array<std::string_view, 3> kCufftNames{"cufft64_12.dll", "cufft64_11.dll", "cufft64_10.dll"};
constexpr std::array<std::string_view, 1> kNvrtcCompanions{"nvrtc-builtins64_"};
constexpr std::array<std::string_view, 1> kCusparseCompanions{"nvJitLink_"};
constexpr std::array<std::string_view, 1> kCublasCompanions{"cublasLt64_"};
constexpr std::array<std::string_view, 5> kToolkitFolders{"bin", "bin/x64", "extras/CUPTI/lib64", "lib/x64", "."};
constexpr std::array<std::string_view, 2> kPackageFolders{"bin", "lib"};
#else
constexpr char kListSeparator = ':';
constexpr std::array<std::string_view, 2> kDriverNames{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
constexpr std::array<std::string_view, 2> kNvmlNames{"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
constexpr std::array<std::string_view, 3> kNvrtcNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
constexpr std::array<std::string_view, 2> kCuptiNames{"libcupti.so.13", "libcupti.so.12"};
constexpr std::array<std::string_view, 0> kCuptiWildcards{};
constexpr std::array<std::string_view, 3> kCublasNames{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
constexpr std::array<std::string_view, 3> kCublasLtNames{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};
constexpr std::array<std::string_view, 2> kCusparseNames{"libcusparse.so.12", "libcusparse.so.11"};
constexpr std::array<std::string_view, 3> kCufftNames{"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"};
constexpr std::array<std::string_view, 1> kNvrtcCompanions{"libnvrtc-builtins.so."};
constexpr std::array<std::string_view, 1> kCusparseCompanions{"libnvJitLink.so."};
constexpr std::array<std::string_view, 1> kCublasCompanions{"libcublasLt.so."};
constexpr std::array<std::string_view, 5> kToolkitFolders{"lib64", "lib", "extras/CUPTI/lib64",
                                                          "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
constexpr std::array<std::string_view, 1> kPackageFolders{"lib"};
#endif

constexpr std::string_view kFromDriver = "it comes with NVIDIA's driver";
constexpr std::string_view kFromToolkit =
    "it comes with the CUDA toolkit or NVIDIA's Python packages; BRAGGBENCH_CUDA_LIBS may name its folder";

void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  const fs::path canonical = fs::canonical(folder, ignored);
  const fs::path& kept = ignored ? folder : canonical;
  if (std::find(folders.begin(), folders.end(), kept) == folders.end()) folders.push_back(kept);
}

std::vector<fs::path> split_list(const std::string& text) {
  std::vector<fs::path> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(kListSeparator, begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<fs::path> sorted_children(const fs::path& folder) {
  std::vector<fs::path> children;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    children.push_back(it->path());
  }
  // Newest version first, in the same order on every file system.
  std::sort(children.rbegin(), children.rend());
  return children;
}

std::vector<fs::path> named_folders(const Environment& environment) {
  std::vector<fs::path> folders;
  for (const fs::path& entry : split_list(environment("BRAGGBENCH_CUDA_LIBS").value_or(""))) {
    add_folder(folders, entry);
    for (const fs::path& package : sorted_children(entry)) {
      for (const std::string_view below : kPackageFolders) add_folder(folders, package / below);
    }
  }
  return folders;
}

/// Files in `folder` that may be the library, best first.
std::vector<fs::path> candidates(const LibraryKind& kind, const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const std::string_view name : kind.names) {
    if (fs::path(name).is_absolute()) continue;
    if (fs::exists(folder / name, ignored)) out.push_back(folder / name);
  }
  if (!kind.wildcards.empty()) {
    for (const fs::path& file : sorted_children(folder)) {
      const std::string name = file.filename().string();
      for (const std::string_view prefix : kind.wildcards) {
        if (name.starts_with(prefix)) out.push_back(file);
      }
    }
  }
  return out;
}

/// Opens libraries that `kind` depends on and requests by bare name. The system's loader then finds them already
/// loaded. NVIDIA's Python packages need this, because their libraries do not search their own folder.
void open_companions(const LibraryKind& kind, const fs::path& folder) {
  static std::vector<DynamicLibrary> kept;  // open until the process ends, like the libraries that need them
  if (kind.companions.empty()) return;
  for (const fs::path& file : sorted_children(folder)) {
    for (const std::string_view prefix : kind.companions) {
      std::string ignored;
      if (!file.filename().string().starts_with(prefix)) continue;
      if (DynamicLibrary library = DynamicLibrary::open(file, ignored)) kept.push_back(std::move(library));
    }
  }
}

/// Joins texts, as in "a, b or c".
std::string joined(const std::vector<std::string>& texts, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += i + 1 == texts.size() ? last : ", ";
    out += texts[i];
  }
  return out;
}

std::vector<std::string> bare_names(const LibraryKind& kind) {
  std::vector<std::string> out;
  for (const std::string_view name : kind.names) {
    if (!fs::path(name).is_absolute()) out.emplace_back(name);
  }
  for (const std::string_view prefix : kind.wildcards) out.push_back(std::string(prefix) + "*");
  return out;
}

}  // namespace

const LibraryKind kDriverLibrary{"NVIDIA's driver", kDriverNames, {}, {}, kFromDriver};
const LibraryKind kNvmlLibrary{"NVML", kNvmlNames, {}, {}, kFromDriver};
const LibraryKind kNvrtcLibrary{"NVRTC", kNvrtcNames, {}, kNvrtcCompanions, kFromToolkit};
const LibraryKind kCuptiLibrary{"CUPTI", kCuptiNames, kCuptiWildcards, {}, kFromToolkit};
const LibraryKind kCublasLibrary{"cuBLAS", kCublasNames, {}, kCublasCompanions, kFromToolkit};
const LibraryKind kCublasLtLibrary{"cuBLASLt", kCublasLtNames, {}, {}, kFromToolkit};
const LibraryKind kCusparseLibrary{"cuSPARSE", kCusparseNames, {}, kCusparseCompanions, kFromToolkit};
const LibraryKind kCufftLibrary{"cuFFT", kCufftNames, {}, {}, kFromToolkit};

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
  };
}

std::vector<fs::path> library_folders(const Environment& environment) {
  std::vector<fs::path> folders = named_folders(environment);
  std::vector<fs::path> toolkits;
  for (const std::string_view variable : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const auto value = environment(variable)) toolkits.emplace_back(*value);
  }
#ifndef _WIN32
  toolkits.emplace_back("/usr/local/cuda");
#endif
  for (const fs::path& toolkit : toolkits) {
    for (const std::string_view below : kToolkitFolders) add_folder(folders, toolkit / below);
  }
  return folders;
}

FoundLibrary find_library(const LibraryKind& kind, const Environment& environment) {
  std::string broken;  // a file that exists but does not load explains more than files that do not exist
  const auto attempt = [&](const fs::path& file) {
    std::string error;
    open_companions(kind, file.parent_path());
    DynamicLibrary library = DynamicLibrary::open(file, error);
    if (!library && broken.empty()) broken = file.string() + " does not load: " + error;
    return library;
  };

  const std::vector<fs::path> named = named_folders(environment);
  for (const fs::path& folder : named) {
    for (const fs::path& file : candidates(kind, folder)) {
      if (auto library = attempt(file)) return {std::move(library), ""};
    }
  }
  for (const std::string_view name : kind.names) {
    std::error_code ignored;
    const fs::path file(name);
    std::string error;
    if (DynamicLibrary library = DynamicLibrary::open(file, error)) return {std::move(library), ""};
    // The loader's message names the missing file. If it names another file, the library itself exists.
    const bool there =
        file.is_absolute() ? fs::exists(file, ignored) : error.find(".so") < error.npos && !error.starts_with(name);
    if (there && broken.empty()) broken = file.string() + " does not load: " + error;
  }
  const std::vector<fs::path> folders = library_folders(environment);
  for (std::size_t i = named.size(); i < folders.size(); ++i) {
    for (const fs::path& file : candidates(kind, folders[i])) {
      if (auto library = attempt(file)) return {std::move(library), ""};
    }
  }

  std::string reason = std::string(kind.title);
  if (!broken.empty()) return {{}, reason + " could not be loaded: " + broken + "."};
  reason += " was not found: no " + joined(bare_names(kind), " or ") + " on the system's library path";
  // The driver's own libraries are never part of a toolkit.
  if (!folders.empty() && &kind != &kDriverLibrary && &kind != &kNvmlLibrary) {
    std::vector<std::string> texts;
    for (const fs::path& folder : folders) texts.push_back(folder.string());
    reason += ", nor in " + joined(texts, " or ");
  }
  return {{}, reason + "; " + std::string(kind.remedy) + "."};
}

}  // namespace bb::cuda
