#pragma once

// Block shapes of the angle convolution with a banded matrix. Included by nvcc, by NVRTC and by the host.
namespace bb::transport {

// A warp computes 16 angles of 32 cells, with four tiles of eight cells side by side.
inline constexpr int kBandedAngles = 16, kBandedCells = 32, kBandedWarps = 4;

}  // namespace bb::transport
