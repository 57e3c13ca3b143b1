#pragma once

#include <cstddef>

#include "cuda_fused.hpp"
#include "transport/model/index.hpp"
#include "transport/registry.hpp"
#include "transport/run/by_precision.hpp"

// Shared memory of a block of the fused step's first pass. Needs no device.
namespace bb::transport {

/// Quads of columns of an item.
inline int fused_tile_quads(const Tables& t) {
  constexpr int kNarrowGrid = 16;  // columns; items are narrower there
  return t.nx <= kNarrowGrid ? 4 : 8;
}

/// Bytes, as Collide in cuda_fused_collide.cuh.
template <typename T>
std::size_t fused_shared_bytes(const Tables& t, int most_feeds, int most_half, int turned) {
  const int rows = t.ntheta + 2 * most_half + 2 * turned;
  return u(rows * fused_tile_quads(t) * 4 + (most_half + 4) / 4 * 4) * sizeof(T) +
         u(most_feeds + 1) * sizeof(FusedSource);
}

inline SharedNeed fused_shared_need(const Problem& problem, const Tables& outline) {
  const auto bytes = [&](int feeds, int half) {
    return static_cast<double>(problem.precision == Precision::kFp32
                                   ? fused_shared_bytes<float>(outline, feeds, half, kFusedTurned)
                                   : fused_shared_bytes<double>(outline, feeds, half, kFusedTurned));
  };
  return {.least = bytes(0, 0), .most = bytes(outline.most.feeds, outline.most.half)};
}

}  // namespace bb::transport
