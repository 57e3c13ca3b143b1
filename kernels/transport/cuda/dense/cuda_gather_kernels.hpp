#pragma once

#include "cuda_gather_passes.hpp"

namespace bb::transport {

/// The kernels of cuda_gather.cu.
inline constexpr GatherKernels kGatherKernels{"gather_slow_down", "gather_scatter_angles", "gather_stream_x",
                                              "gather_stream_z"};

}  // namespace bb::transport
