#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace bb::micro {

/// Allocates `count` floats in pages that the system has not mapped yet. A C library reuses small freed blocks, so a
/// large block is requested, of which only the touched pages ever occupy memory.
inline std::unique_ptr<float[]> fresh_memory(std::size_t count) {
  constexpr std::size_t kLarge = std::size_t{64} << 20;  // bytes; glibc's threshold grows up to 32 MiB
  return std::make_unique_for_overwrite<float[]>(std::max(count, kLarge / sizeof(float)));
}

}  // namespace bb::micro
