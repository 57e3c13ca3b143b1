#pragma once

// Shapes of the angles' convolution as a banded matrix. Included by nvcc, by NVRTC and by the host.
namespace bb::transport {

// A warp makes 16 angles of 32 cells: four instructions of eight cells side by side.
inline constexpr int kBandedAngles = 16, kBandedCells = 32, kBandedWarps = 4;

}  // namespace bb::transport
