#include "cuda_sweep_collide.cuh"
#include "cuda_sweep_copy.cuh"
#include "cuda_sweep_stream.cuh"

namespace bb::transport::sweep {

/// Adds the tallies of each warp to the ledger row. Every thread must call this.
__device__ inline void add_tally(const Work& w, int step, const LedgerTally& tally) {
  double* const row = w.p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
  using fused::add_from_warp;
  add_from_warp(tally.number, row + kInFlight);
  add_from_warp(tally.energy, row + kEnergyInFlight);
  add_from_warp(tally.stopped, row + kStopped);
  add_from_warp(tally.nuclear, row + kNuclear);
  add_from_warp(tally.nuclear_energy, row + kEnergyNuclear);
  add_from_warp(tally.deposited, row + kDeposited);
#pragma unroll
  for (int face = 0; face < kFaces; ++face) {
    add_from_warp(tally.escaped[face], row + kEscaped + face);
    add_from_warp(tally.escaped_energy[face], row + kEnergyEscaped + face);
  }
  __syncthreads();  // no warp still waits at the column's barriers
}

__device__ inline void sweep_column(const FusedParameters<float>& p, const SweepParameters& s, int step, int index,
                                    float* shared) {
  __shared__ SweepGroup group;
  __shared__ SweepColumn column;
  const int ntheta = p.tables.ntheta;
  __syncthreads();
  if (threadIdx.x < sizeof(SweepColumn) / 4) {
    reinterpret_cast<int*>(&column)[threadIdx.x] = reinterpret_cast<const int*>(s.columns + index)[threadIdx.x];
  }
  __syncthreads();
  {
    if (threadIdx.x == 0) prepare_stages(shared, column.stages, column.scorers + column.colliders);
    const int* from = reinterpret_cast<const int*>(s.groups + column.group);
    for (int i = threadIdx.x; i < static_cast<int>(sizeof(SweepGroup) / 4); i += static_cast<int>(blockDim.x)) {
      reinterpret_cast<int*>(&group)[i] = from[i];
    }
    // Clears shared memory outside the grid: on both sides of the tiles' rows, and before and after the angles.
    const int end = column.stages_at + column.stages * column.stage_floats;
    for (int i = column.tiles_at / 4 + static_cast<int>(threadIdx.x); i < end / 4; i += static_cast<int>(blockDim.x)) {
      reinterpret_cast<float4*>(shared)[i] = {0, 0, 0, 0};
    }
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // before asynchronous copies write to this memory
#endif
  }
  __syncthreads();
  const bool odd = (step & 1) != 0;
  Work w{p, s, group, column, reinterpret_cast<const SweepAngle*>(shared + 4 * kSweepStages), shared};
  w.from = odd ? p.turned : p.state;
  w.to = odd ? p.state : p.turned;
  w.turning = s.turning;
  const int reach = group.bins > 0 ? group.half : 0;
  w.low = max(0, column.a0 - reach);
  w.high = min(ntheta, column.a1 + reach);
  w.stage_low = group.windowed != 0 ? column.a0 - 1 : w.low;
  w.source_floats = group.windowed != 0 ? kSweepSlot : sweep_source_floats(w.high - w.low, p.pitch);
  w.shift = (w.stage_low * p.pitch) & 31;

  LedgerTally tally;
  const int warp = static_cast<int>(threadIdx.x) >> 5;
  const int thread = static_cast<int>(threadIdx.x);
  const int colliding = 1 + column.scorers, streaming = colliding + column.colliders;
  if (warp == 0) {
    copy_column(w);
  } else if (warp < colliding) {
    score_column(w, thread - 32, tally);
  } else if (warp < streaming) {
    collide_column(w, thread - 32 * colliding, tally);
  } else if (warp < streaming + column.streamers) {
    ColumnStreamer work(w, thread - 32 * streaming);
    work.run(tally);
  }
  __syncwarp();
  add_tally(w, step, tally);
  if (threadIdx.x == 0) forget_stages(shared, column.stages);
}

/// Ends the step, in the last block to call this.
__device__ inline void finish(const FusedParameters<float>& p, int step) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  StepControl* const control = p.control;
  if (atomicAdd(&control->blocks_done, 1u) != gridDim.x - 1) return;
  __threadfence();
  double row[kLedgerColumns];
  const volatile double* const ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
  for (int n = 0; n < kLedgerColumns; ++n) row[n] = ledger[n];
  control->blocks_done = 0;
  if (in_flight_after(row) <= p.stop_number) control->done = 1;
  __threadfence();
  atomicExch(&control->step, step + 1);
}

}  // namespace bb::transport::sweep

/// Takes one step; every block processes its columns.
extern "C" __global__ void __launch_bounds__(bb::transport::kSweepThreads, 1)
    transport_fused_sweep_f32(const __grid_constant__ bb::transport::FusedParameters<float> p,
                              const __grid_constant__ bb::transport::SweepParameters s) {
  using namespace bb::transport;
  extern __shared__ __align__(128) double2 sweep_shared[];
  float* const shared = reinterpret_cast<float*>(sweep_shared);
  const int step = *static_cast<volatile int*>(&p.control->step);
  if (*static_cast<volatile int*>(&p.control->done) != 0 || step >= p.control->limit) return;
  const int words = p.tables.ntheta * static_cast<int>(sizeof(SweepAngle) / 4);
  for (int i = threadIdx.x; i < words; i += static_cast<int>(blockDim.x)) {
    shared[4 * kSweepStages + i] = reinterpret_cast<const float*>(s.angles)[i];
  }
  for (int index = s.begin[blockIdx.x]; index < s.begin[blockIdx.x + 1]; ++index) {
    sweep::sweep_column(p, s, step, index, shared);
  }
  sweep::finish(p, step);
}

/// Launched after every few steps. Each block collects 32 cells of the fields.
extern "C" __global__ void __launch_bounds__(32 * bb::transport::kCollectWarps)
    transport_fused_collect_f32(const __grid_constant__ bb::transport::FusedParameters<float> p,
                                const __grid_constant__ bb::transport::SweepParameters s, const int blocks) {
  bb::transport::sweep::collect_scores(p, s, blocks);
}
