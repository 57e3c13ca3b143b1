#pragma once

#include <algorithm>

#include "cuda/device/kernel.hpp"
#include "work.hpp"

namespace bb::micro {

/// A launch all of whose blocks are resident at once, with no more of them than `n` elements need.
inline cuda::LaunchShape cooperative_shape(const cuda::Kernel& kernel, const cuda::Device& device, std::size_t n,
                                           unsigned threads) {
  return {.grid = {std::min(resident_blocks(kernel, device, threads), blocks_for(n, threads))},
          .block = {threads},
          .cooperative = true};
}

}  // namespace bb::micro
