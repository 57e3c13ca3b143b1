#pragma once

#include <cstddef>

namespace bb::transport {

/// Converts a cell, bin or count, none of which is negative, to the index type of containers. Not for *.simd.cpp,
/// because the linker would keep the copy of one instruction set for all.
inline std::size_t u(int i) { return static_cast<std::size_t>(i); }

}  // namespace bb::transport
