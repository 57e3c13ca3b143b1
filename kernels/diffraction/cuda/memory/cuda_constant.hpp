#pragma once

namespace bb::diffraction::device {

/// Orientations that the 64 KiB of constant memory hold beside what else lies there.
inline constexpr int kConstantOrientations = 800;

}  // namespace bb::diffraction::device
