#pragma once

// Block shapes of the gathering kernels. Included by nvcc, by NVRTC and by the host.
namespace bb::transport {

inline constexpr int kGatherThreads = 256;
inline constexpr int kGatherScoreWarps = 16;  // of a scoring block; each takes every 16th (e, θ) field
inline constexpr int kGatherStreamBins = 8;   // energies per thread of a remap: one ledger sum for all of them

}  // namespace bb::transport
