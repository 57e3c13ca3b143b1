#pragma once

#include "cuda_sweep.hpp"
#include "transport/cuda/fused/cuda_fused_plan.cuh"

// Helpers shared by the kinds of warps of a sweep: the column, and the barriers between warps.
namespace bb::transport::sweep {

/// Named barriers of a block; barrier 0 is used by __syncthreads.
enum Barrier { kTileFull = 1, kTileFree = kTileFull + kSweepTiles, kGathered = kTileFree + kSweepTiles, kTurned };
static_assert(kTurned < 16);

/// The threads of a warp synchronise first, because named-barrier instructions must be executed by all of them
/// together.
__device__ inline void wait_at(int barrier, int warps) {
  __syncwarp();
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(warps * 32) : "memory");
}
__device__ inline void arrive_at(int barrier, int warps) {
  __syncwarp();
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(warps * 32) : "memory");
}

/// Sums that a thread adds to the ledger at the end of a column.
struct LedgerTally {
  double number = 0, energy = 0, stopped = 0, nuclear = 0, nuclear_energy = 0, deposited = 0;
  double escaped[kFaces] = {}, escaped_energy[kFaces] = {};

  __device__ void escape(Face face, float protons, double energy_each) {
    escaped[face] += static_cast<double>(protons);
    escaped_energy[face] += static_cast<double>(protons) * energy_each;
  }
};

/// State of a block while it processes a column.
struct Work {
  const FusedParameters<float>& p;
  const SweepParameters& s;
  const SweepGroup& group;  // in shared memory, as are the next two
  const SweepColumn& column;
  const SweepAngle* angles;  // all angles of the grid
  float* shared;
  const float* from = nullptr;  // ψ before the step
  float* to = nullptr;
  int low = 0, high = 0;  // range of angles of the sources' rows
  int stage_low = 0;      // angle of the first row in a stage; rows outside the grid hold zeros
  int source_floats = 0;  // floats of a source's row in a stage
  int shift = 0;          // offset of a stage's first row in floats, so that copies keep their alignment to 128 bytes
  int turning = 0;        // first angle whose rows are not mirrored

  __device__ float* tile(int t) const { return shared + column.tiles_at + t * column.tile_floats; }
  __device__ float* stage(unsigned place) const {
    return shared + column.stages_at + static_cast<int>(place) * column.stage_floats;
  }
};

/// Barriers at the front of shared memory, two per stage. The first kSweepStages signal that the copies of a stage have
/// arrived, the next kSweepStages that the stage has been read.
__device__ inline unsigned full_barrier(const float* shared, unsigned place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared)) + place * 8;
}
__device__ inline unsigned free_barrier(const float* shared, unsigned place) {
  return full_barrier(shared, place + kSweepStages);
}

__device__ inline void wait_for(unsigned barrier, unsigned phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
#if __CUDA_ARCH__ >= 900
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
#else
      "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
#endif
      "@!done bra again;\n"
      "}\n" ::"r"(barrier),
      "r"(phase)
      : "memory");
}

/// Signals that the thread will not read its stage again. Every thread arrives at the barrier, because racecheck does
/// not accept one lane on behalf of its warp.
__device__ inline void free_stage(const float* shared, unsigned place) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(free_barrier(shared, place)) : "memory");
}

}  // namespace bb::transport::sweep
