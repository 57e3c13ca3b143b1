#pragma once

namespace bb::diffraction::device {

/// Number of orientations that fit into the 64 KiB of constant memory next to its other contents.
inline constexpr int kConstantOrientations = 800;

}  // namespace bb::diffraction::device
