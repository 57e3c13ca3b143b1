#pragma once

#include "physics/hd.hpp"

// Included by nvcc, by NVRTC and by the host, so it includes no standard header.
namespace bb::transport {

/// Faces of the grid through which protons leave. Low z is the front face, where the beam enters.
enum Face { kXLow, kXHigh, kZLow, kZHigh, kThetaLow, kThetaHigh, kFaces };

/// The face through which a shift by `whole` cells and a fraction of a cell leads out of the grid. `low` is the first
/// face of the axis. All content moves in one direction, so it leaves through one face only.
BB_HD inline constexpr Face face_ahead(Face low, int whole) { return whole < 0 ? low : static_cast<Face>(low + 1); }

}  // namespace bb::transport
