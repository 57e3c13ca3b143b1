#pragma once

#include "tuning/tunable.hpp"

// Block shapes of the gathering kernels. Included by nvcc, by NVRTC and by the host.
namespace bb::transport {

BB_TUNABLE_90(int, kGatherThreads, 256, 128);

// Scoring: 32 cells of one row of z, and warps that share out the fields above them. A warp takes several angles of
// one energy at a time, so that as many loads are in flight per thread.
BB_TUNABLE_90(int, kScoreWarps, 16, 32);
BB_TUNABLE_90(int, kScoreAngles, 8, 16);

BB_TUNABLE_90(int, kGatherAngles, 4, 8);       // per thread of the energy gather: the tap list is read once for them
BB_TUNABLE_90(int, kGatherAngleRows, 8, 4);    // angles of a block of the convolution, which share what they load
BB_TUNABLE_90(int, kGatherStreamBins, 8, 16);  // energies per thread of a remap: one ledger sum for all of them

}  // namespace bb::transport
