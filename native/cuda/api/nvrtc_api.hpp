#pragma once

#include <cstddef>
#include <string>

#include "../loader/dynamic_library.hpp"
#include "resolve.hpp"

// Declarations of the part of NVRTC in use; declarations_test.cpp compares them with nvrtc.h if it is installed.
namespace bb::cuda::api {

using NvrtcStatus = int;
using NvrtcProgram = struct NvrtcProgramTag*;
inline constexpr NvrtcStatus kNvrtcSuccess = 0, kNvrtcErrorCompilation = 6;

// GetCUBIN and GetSupportedArchs were added in CUDA 11.2, the oldest supported version.
#define BB_CUDA_NVRTC_REQUIRED(X)                                                                                \
  X(GetErrorString, nvrtcGetErrorString, (NvrtcStatus status), const char*)                                      \
  X(Version, nvrtcVersion, (int* major, int* minor))                                                             \
  X(GetNumSupportedArchs, nvrtcGetNumSupportedArchs, (int* count))                                               \
  X(GetSupportedArchs, nvrtcGetSupportedArchs, (int* architectures))                                             \
  X(CreateProgram, nvrtcCreateProgram,                                                                           \
    (NvrtcProgram * program, const char* source, const char* name, int header_count, const char* const* headers, \
     const char* const* header_names))                                                                           \
  X(DestroyProgram, nvrtcDestroyProgram, (NvrtcProgram * program))                                               \
  X(CompileProgram, nvrtcCompileProgram, (NvrtcProgram program, int count, const char* const* options))          \
  X(GetPTXSize, nvrtcGetPTXSize, (NvrtcProgram program, std::size_t* bytes))                                     \
  X(GetPTX, nvrtcGetPTX, (NvrtcProgram program, char* text))                                                     \
  X(GetCUBINSize, nvrtcGetCUBINSize, (NvrtcProgram program, std::size_t* bytes))                                 \
  X(GetCUBIN, nvrtcGetCUBIN, (NvrtcProgram program, char* image))                                                \
  X(GetProgramLogSize, nvrtcGetProgramLogSize, (NvrtcProgram program, std::size_t* bytes))                       \
  X(GetProgramLog, nvrtcGetProgramLog, (NvrtcProgram program, char* text))

struct NvrtcApi {
  template <typename Return = NvrtcStatus>
  using Returned = Return;
#define BB_MEMBER(member, symbol, parameters, ...) Returned<__VA_ARGS__>(*member) parameters = nullptr;
  BB_CUDA_NVRTC_REQUIRED(BB_MEMBER)
#undef BB_MEMBER

  /// Returns the first symbol that `library` lacks, or "".
  std::string resolve(const DynamicLibrary& library);
};

}  // namespace bb::cuda::api
