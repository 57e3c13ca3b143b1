#pragma once

#include "../loader/dynamic_library.hpp"

namespace bb::cuda::api {

/// Points `member` at an exported function; false if there is none of that name.
template <typename FunctionPointer>
bool resolve_symbol(const DynamicLibrary& library, const char* name, FunctionPointer& member) {
  member = reinterpret_cast<FunctionPointer>(library.symbol(name));
  return member != nullptr;
}

}  // namespace bb::cuda::api
