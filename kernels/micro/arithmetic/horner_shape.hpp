#pragma once

namespace bb::micro {

/// Number of arguments that one GPU thread processes; they are blockDim.x apart. Each coefficient that is read serves
/// all of them, so that arithmetic limits the speed, not reading coefficients.
inline constexpr unsigned kHornerChains = 4;

/// The same number for coefficients in shared memory, of which a thread reads four at a time. A read then serves 32
/// steps, and the chains hide the latency of a step with fewer warps.
inline constexpr unsigned kHornerSharedChains = 8;

}  // namespace bb::micro
