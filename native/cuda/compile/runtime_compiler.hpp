#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../api/nvrtc_api.hpp"
#include "image_cache.hpp"
#include "kernel_pieces.hpp"

// Compiles kernels at run time with NVRTC, for workloads that nvcc did not compile at build time. A source may include
// this project's headers ("…") and <cmath>, <cstdint>, <cstddef>; nothing else. Functions without an execution space
// become device functions, so shared headers need BB_HD only for nvcc.
namespace bb::cuda {

/// Machine code (or PTX, for a device newer than NVRTC), and whether it came from the cache.
struct CompiledImage {
  std::string image;
  std::string key;  // key of its entry in the cache
  bool from_cache = false;
  double compile_s = 0;
  std::string log;  // the compiler's warnings; empty if read from the cache
};

/// Error for a source that does not compile. `log()` is the compiler's output, with positions relative to the source
/// root.
class CompileError : public std::runtime_error {
 public:
  CompileError(const std::string& sentence, std::string log) : std::runtime_error(sentence), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

struct CompileRequest {
  std::filesystem::path main;  // main source file
  std::filesystem::path root;  // folder of its includes; names in messages are relative to it
  int architecture = 0;        // compute capability of the device, such as 90
  std::span<const std::string> extra_options;
  const Replacement* replaced = nullptr;  // user text that replaces one of the files
  std::string_view target{};              // "sm_90" or "compute_90", for inspection; empty: runs on `architecture`
};

/// Like CompileRequest, but for one text that includes no project files.
struct TextRequest {
  std::string_view name;  // for messages
  std::string_view text;
  int architecture = 0;
  std::span<const std::string> extra_options;
  std::string_view target{};
};

/// Returns "sm_90" if NVRTC can make machine code that runs on `architecture` (90): for the same architecture, or for
/// the newest older one of the same major version. Otherwise returns "compute_80" for PTX of the newest older
/// architecture, or nothing if NVRTC knows only newer ones. `supported` are NVRTC's architectures.
std::optional<std::string> choose_target(std::span<const int> supported, int architecture);

/// Compiles, or reads from `cache` the output for the same flattened source, options, target and NVRTC. Throws
/// CompileError if the source does not compile, std::runtime_error if a file is missing or NVRTC fails.
CompiledImage compile_at_run_time(const api::NvrtcApi& nvrtc, const CompileRequest& request, const ImageCache& cache);
CompiledImage compile_at_run_time(const api::NvrtcApi& nvrtc, const TextRequest& request, const ImageCache& cache);

}  // namespace bb::cuda
