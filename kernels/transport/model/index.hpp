#pragma once

#include <cstddef>

namespace bb::transport {

/// A cell, bin or count, none of which is negative, as containers count. Not for *.simd.cpp: the linker would keep the
/// copy of one instruction set for all.
inline std::size_t u(int i) { return static_cast<std::size_t>(i); }

}  // namespace bb::transport
