#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../api/nvrtc_api.hpp"
#include "flatten.hpp"
#include "image_cache.hpp"

// Compiles kernels at run time with NVRTC, where nvcc did not at build time.
//
// A source may include our own headers ("…") and <cmath>, <cstdint>, <cstddef>; nothing else. Functions
// without an execution space are device functions, so shared headers need BB_HD only for nvcc's sake.
namespace bb::cuda {

/// Machine code (or PTX, for a device newer than NVRTC) and where it came from.
struct CompiledImage {
  std::string image;
  std::string key;  // of the cache
  bool from_cache = false;
  double compile_s = 0;
  std::string log;  // the compiler's warnings; empty from the cache
};

/// A source that does not compile. `log()` is the compiler's, with places relative to the source root.
class CompileError : public std::runtime_error {
 public:
  CompileError(const std::string& sentence, std::string log) : std::runtime_error(sentence), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

struct CompileRequest {
  std::filesystem::path main;  // the source
  std::filesystem::path root;  // folder that its includes and messages are relative to
  int architecture = 0;        // of the device: 90
  std::span<const std::string> extra_options;
  const Replacement* replaced = nullptr;  // a user's text instead of one of the files
};

/// The same of one text that includes nothing of ours any more.
struct TextRequest {
  std::string_view name;  // for messages
  std::string_view text;
  int architecture = 0;
  std::span<const std::string> extra_options;
};

/// "sm_90" where NVRTC makes machine code that runs on `architecture` (90): the same, or the newest older one
/// of the same major version; else "compute_80" for PTX of the newest older one; nothing if it knows only
/// newer ones. `supported` are NVRTC's architectures.
std::optional<std::string> choose_target(std::span<const int> supported, int architecture);

/// Compiles, or reads from `cache` the output of the same flattened source, options, target and NVRTC. Throws
/// CompileError if the source does not compile, std::runtime_error if a file is missing or NVRTC fails.
CompiledImage compile_at_run_time(const api::NvrtcApi& nvrtc, const CompileRequest& request, const ImageCache& cache);
CompiledImage compile_at_run_time(const api::NvrtcApi& nvrtc, const TextRequest& request, const ImageCache& cache);

}  // namespace bb::cuda
