#pragma once

namespace bb::micro {

/// Arguments of one GPU thread, blockDim.x apart: each coefficient that is read serves all of them, so that
/// arithmetic and not the reading of coefficients is what takes the time.
inline constexpr unsigned kHornerChains = 4;

}  // namespace bb::micro
