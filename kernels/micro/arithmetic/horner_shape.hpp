#pragma once

namespace bb::micro {

/// Arguments of one GPU thread, blockDim.x apart. Each coefficient that is read serves all of them, so that arithmetic,
/// not reading coefficients, limits the speed.
inline constexpr unsigned kHornerChains = 4;

}  // namespace bb::micro
