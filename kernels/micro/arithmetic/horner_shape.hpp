#pragma once

namespace bb::micro {

/// Arguments of one GPU thread, blockDim.x apart. Each coefficient that is read serves all of them, so that arithmetic,
/// not reading coefficients, limits the speed.
inline constexpr unsigned kHornerChains = 4;

/// The same where coefficients come from shared memory, four per read: a read serves 32 steps, and the chains hide the
/// latency of a step from fewer warps.
inline constexpr unsigned kHornerSharedChains = 8;

}  // namespace bb::micro
