#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bb::cuda {

/// User text that is compiled in place of one of the shipped source files.
struct Replacement {
  std::filesystem::path file;  // path of the shipped file that is replaced
  std::string text;
  std::string name;  // name in compiler messages
};

/// One text that contains a source file and all of its includes.
struct FlatSource {
  std::string text;
  std::vector<std::filesystem::path> files;  // in order of inclusion, the main file first
};

/// Replaces each `#include "file"` by the file's text (looked up next to the includer, then in `root`), once per file
/// as `#pragma once` would. Adds #line directives so that compiler messages refer to the original positions relative to
/// `root`. `#include <…>` remains. NVRTC compiles this text, and its hash is the key of the cache, so any change of a
/// relevant file is noticed. An include inside a conditional counts even if the condition is false. The text of
/// `replaced` is used in place of its file. Throws std::runtime_error naming the includer if a file is missing.
FlatSource flatten(const std::filesystem::path& main, const std::filesystem::path& root,
                   const Replacement* replaced = nullptr);

// A workload's main source includes one .cu file per variant or row. NVRTC needs a minute for all of them, but only a
// second or two for one kernel. So a workload is compiled in pieces, each when it is needed.

/// Source text that is compiled as one image.
struct KernelPiece {
  std::string name;  // for messages: "cuda_window.cu, depth_f32"
  std::string text;
  std::vector<std::string> kernels;   // extern "C" names that it defines
  std::vector<std::string> tunables;  // names of its BB_TUNABLE constants
};

/// Splits the workload whose main source is `main` into pieces, in the order of its includes. A .cu file is one piece.
/// Each unindented line BB_…ENTRY(…) is a separate piece, because it instantiates templates that take seconds. Kernels
/// that share a variable must be in one file and not in such lines. Throws std::runtime_error if a file is missing, or
/// if two pieces define the same kernel.
std::vector<KernelPiece> kernel_pieces(const std::filesystem::path& main, const std::filesystem::path& root);

/// Names of the __global__ functions that `text` defines, directly or through its BB_… macros.
std::vector<std::string> kernels_defined(std::string_view text);

}  // namespace bb::cuda
