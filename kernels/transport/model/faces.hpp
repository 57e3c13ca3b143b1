#pragma once

#include "physics/hd.hpp"

// Included by nvcc, by NVRTC and by the host; no standard header.
namespace bb::transport {

/// Faces of the grid through which protons leave. Low z is the front face, where the beam enters.
enum Face { kXLow, kXHigh, kZLow, kZHigh, kThetaLow, kThetaHigh, kFaces };

/// The face that a remap by `whole` cells and a part of one more leads out of: whatever moves so goes one way, and
/// leaves the axis whose first face is `low` at one end only.
BB_HD inline constexpr Face face_ahead(Face low, int whole) { return whole < 0 ? low : static_cast<Face>(low + 1); }

}  // namespace bb::transport
