#pragma once

#include "../loader/dynamic_library.hpp"

// NVIDIA's libraries export C functions; on Windows they are declared __stdcall.
#ifdef _WIN32
#define BB_CUDA_CALL __stdcall
#else
#define BB_CUDA_CALL
#endif

namespace bb::cuda::api {

/// Points `member` at an exported function; returns false if `library` has no function of that name.
template <typename FunctionPointer>
bool resolve_symbol(const DynamicLibrary& library, const char* name, FunctionPointer& member) {
  member = reinterpret_cast<FunctionPointer>(library.symbol(name));
  return member != nullptr;
}

}  // namespace bb::cuda::api
