#pragma once

#include "tuning/tunable.hpp"

// Block shapes of the gather kernels. Included by nvcc, by NVRTC and by the host.
namespace bb::transport {

BB_TUNABLE_90(int, kGatherThreads, 256, 128);

// Block shape of the score pass. The warps of a block share the fields of 32 cells in one row of z. A warp processes
// several angles of one energy at a time, so that each thread has several loads in flight.
BB_TUNABLE_90(int, kScoreWarps, 16, 32);
BB_TUNABLE_90(int, kScoreAngles, 8, 16);

BB_TUNABLE_90(int, kGatherAngles, 4, 8);       // angles per thread of the energy gather; taps are read once
BB_TUNABLE_90(int, kGatherAngleRows, 8, 4);    // angles per block of the convolution, which share loads
BB_TUNABLE_90(int, kGatherStreamBins, 8, 16);  // energies per thread of a remap, which share one ledger sum

}  // namespace bb::transport
