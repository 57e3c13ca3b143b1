#pragma once

#include "cuda_fused.hpp"

// The collide pass for whole grids of one material, where most bins have a
// three-point angle kernel: a thread takes four columns of one z row of two
// neighbouring bins and marches through the angles. Included by nvcc, by NVRTC
// and by the host; no standard header.
namespace bb::transport {

inline constexpr int kMarchSources = 6;  // bins that may feed a pair
inline constexpr int kMarchScored = 2;   // of them, those that the pair makes and scores

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
  int count;   // of pairs; 0: no march
  int angles;  // that a block makes
  int quads;   // nx / 4
};

}  // namespace bb::transport
