#pragma once

#include "cuda_fused.hpp"

// The fused step for whole grids of one material, where most bins have a three-point angle kernel: a
// block takes two neighbouring bins and a chunk of z rows over the whole width and marches through the
// angles. Included by nvcc, by NVRTC and by the host; no standard header.
namespace bb::transport {

inline constexpr int kMarchSources = 8;  // bins that may feed a pair
inline constexpr int kMarchScored = 3;   // of them, bins that the pair scores
inline constexpr int kMarchHalo = 5;     // rows read beyond those made: three before, two behind

/// Two neighbouring bins (or one) with everything that depends on the bin.
struct MarchPair {
  int bin, bins, sources, scored;
  int source[kMarchSources];  // those scored first
  float weight[2][kMarchSources];
  float angle[2][2];  // weights of distance 0 and 1
  float deposit[kMarchScored], stopped[kMarchScored], nuclear[kMarchScored], nuclear_escape[kMarchScored];
};

struct MarchParameters {
  const MarchPair* pairs;
  int rows;   // z rows that a block makes
  int quads;  // nx / 4
};

}  // namespace bb::transport
