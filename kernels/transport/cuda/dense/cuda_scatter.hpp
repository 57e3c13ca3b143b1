#pragma once

// Included by nvcc, by NVRTC and by the host, so it includes no standard header.
namespace bb::transport {

/// The energy gather by source: destinations of the protons of each table row.
struct DeviceSourceTaps {
  const int* begin;  // [materials·ne + 1]
  const int* destination;
  const float* weight;
};

inline constexpr int kScatterThreads = 256;
inline constexpr int kWarpTile = 32;  // width in x and in angles of a block of `cuda-warp-reduced`

}  // namespace bb::transport
