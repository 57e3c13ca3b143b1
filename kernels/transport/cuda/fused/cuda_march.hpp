#pragma once

#include "cuda_fused.hpp"

// The angle march is the collide pass for whole grids of one material, where most bins have a three-point angle kernel.
// A thread marches four columns of one z row of two neighbouring bins through the angles. Included by nvcc, by NVRTC
// and by the host, so it includes no standard header.
namespace bb::transport {

inline constexpr int kMarchSources = 6;  // maximum source bins of a pair
inline constexpr int kMarchScored = 2;   // maximum bins of a pair, which it computes and scores

/// Two neighbouring bins (or one) and all data that depend on the bin.
struct MarchPair {
  int bin, bins, sources, scored;
  int source[kMarchSources];  // scored bins first
  float weight[2][kMarchSources];
  float angle[2][2];  // weights at distances 0 and 1
  float deposit[kMarchScored], stopped[kMarchScored], nuclear[kMarchScored], nuclear_escape[kMarchScored];
};

struct MarchParameters {
  const MarchPair* pairs;
  int count;   // number of pairs; 0: no march
  int angles;  // angles per block
  int quads;   // nx / 4
};

}  // namespace bb::transport
