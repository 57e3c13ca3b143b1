#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// A workload's main source includes one .cu file per variant or row. NVRTC needs a minute for all of them, and a second or
// two for what one kernel needs. So a workload is compiled piece by piece, each when a run asks for it.
namespace bb::cuda {

/// Source text that is compiled as one image.
struct KernelPiece {
  std::string name;  // for messages: "cuda_window.cu, depth_f32"
  std::string text;
  std::vector<std::string> kernels;   // the extern "C" names that it defines
  std::vector<std::string> tunables;  // names of its BB_TUNABLE constants
};

/// The pieces of the workload whose main source is `main`, in the order of its includes. A .cu file is one piece. Each line
/// BB_…ENTRY(…) at the margin is a piece of its own: it instantiates templates that take seconds. Kernels of a piece that
/// share a variable must lie in one file and in no such line. Throws std::runtime_error if a file is missing, or if two
/// pieces define the same kernel.
std::vector<KernelPiece> kernel_pieces(const std::filesystem::path& main, const std::filesystem::path& root);

/// The names of the __global__ functions that `text` defines, by BB_… macros of the text too.
std::vector<std::string> kernels_defined(std::string_view text);

}  // namespace bb::cuda
