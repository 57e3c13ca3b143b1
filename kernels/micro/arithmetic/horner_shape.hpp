#pragma once

namespace bb::micro {

/// Arguments per GPU thread; they are blockDim.x apart. A thread uses each coefficient for all of them, so that
/// arithmetic limits the speed, not loads of coefficients.
inline constexpr unsigned kHornerChains = 4;

/// Arguments per GPU thread if coefficients are in shared memory, from which a thread reads four at a time. One read
/// then serves 32 steps, and the independent chains hide the latency of a step with fewer warps.
inline constexpr unsigned kHornerSharedChains = 8;

}  // namespace bb::micro
