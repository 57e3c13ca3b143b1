#pragma once

#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr int kMaxTaps = 65 * 65;  // radius 32 in two dimensions

/// Taps of the kernels that read them from constant memory, in one and two dimensions.
extern "C" {
__constant__ float micro_taps[kMaxTaps];
}

}  // namespace bb::micro
