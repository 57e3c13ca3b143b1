#pragma once

#include "micro/row/common.cuh"

namespace bb::micro {

inline constexpr int kMostTaps = 65 * 65;  // radius 32 in two dimensions

/// Read by the kernels that keep their taps in constant memory, in one dimension and in two.
extern "C" {
__constant__ float micro_taps[kMostTaps];
}

}  // namespace bb::micro
