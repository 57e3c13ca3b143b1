#pragma once

#include "micro/row/row.hpp"

namespace bb::micro {

/// Copies taps to the constant memory of the kernels that read them there. A module has only one such array, so it is
/// filled again before every check, because another task may have used it.
std::function<void(cuda::Stream&)> constant_taps(CudaBench& bench, const std::vector<float>& taps, const char* kernel);

/// `count` taps whose absolute values sum to one, so that errors are relative to the inputs.
std::vector<float> stencil_taps(std::size_t count, std::uint64_t seed);

}  // namespace bb::micro
