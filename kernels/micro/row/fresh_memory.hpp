#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace bb::micro {

/// Memory for `count` floats that the system has not yet mapped: a C library reuses small freed blocks, but requests
/// large ones from the system. Only touched pages are ever backed by memory.
inline std::unique_ptr<float[]> fresh_memory(std::size_t count) {
  constexpr std::size_t kLarge = std::size_t{64} << 20;  // bytes; glibc's threshold grows up to 32 MiB
  return std::make_unique_for_overwrite<float[]>(std::max(count, kLarge / sizeof(float)));
}

}  // namespace bb::micro
