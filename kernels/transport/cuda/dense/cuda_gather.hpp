#pragma once

#include "tuning/tunable.hpp"

// Block shapes of the gathering kernels. Included by nvcc, by NVRTC and by the host.
namespace bb::transport {

BB_TUNABLE(int, kGatherThreads, 256);

// Scoring: 32 cells of one row of z, and warps that share out the fields above them. A warp takes 8 angles of
// one energy at a time, so that 8 loads are in flight per thread.
BB_TUNABLE(int, kScoreWarps, 16);
BB_TUNABLE(int, kScoreAngles, 8);

BB_TUNABLE(int, kGatherAngles, 4);      // per thread of the energy gather: the tap list is read once for them
BB_TUNABLE(int, kGatherAngleRows, 8);   // angles of a block of the convolution, which share what they load
BB_TUNABLE(int, kGatherStreamBins, 8);  // energies per thread of a remap: one ledger sum for all of them

}  // namespace bb::transport
