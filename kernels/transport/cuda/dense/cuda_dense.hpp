#pragma once

// Shared by the kernels on whole grids and the host; no standard header.
namespace bb::transport {

inline constexpr int kRecordWarps = 8;  // energies that a block records the reactions of

}  // namespace bb::transport
