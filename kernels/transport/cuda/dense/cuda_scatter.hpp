#pragma once

// Included by nvcc, by NVRTC and by the host; no standard header.
namespace bb::transport {

/// The energy gather of the tables seen from its sources: where the protons of a table row go.
struct DeviceSourceTaps {
  const int* begin;  // [materials·ne + 1]
  const int* destination;
  const float* weight;
};

inline constexpr int kScatterThreads = 256;
inline constexpr int kWarpTile = 32;  // x and angles of a block of `cuda-warp-reduced`

}  // namespace bb::transport
