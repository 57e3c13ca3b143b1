#pragma once

#include "cuda_fused_common.cuh"

namespace bb::transport::fused {

/// Lays out the work of step `step` from the bounds of its state. One block; returns after a barrier.
template <typename T, bool kDepth>
__device__ void plan_step(const FusedParameters<T>& p, int step) {
  const DeviceTables<T>& t = p.tables;
  StepControl* control = p.control;
  const DeviceBox* now = p.bounds[step & 1];
  DeviceBox* next = p.bounds[(step + 1) & 1];
  if (threadIdx.x == 0) control->items = 0;
  __syncthreads();
  const auto emit = [&](const WorkItem& item) {
    const int at = atomicAdd(&control->items, 1);
    if (at < p.work_capacity) {
      p.work[at] = item;
    } else {
      control->overflow = 1;
    }
  };
  // Low bins first: near the end of range they have the widest angle kernels.
  for (int bin = threadIdx.x; bin < t.ne; bin += kFusedThreads) {
    const DeviceBox from = source_box(p, now, bin);
    // Of a whole grid every cell is written, also where nothing can arrive.
    const bool whole_grid = p.window == 0 && !is_empty(from);
    next[bin] = whole_grid ? DeviceBox{0, kDepth ? 1 : t.nz, 0, t.ntheta, 0, p.pitch}
                           : DeviceBox{1 << 30, -1, 1 << 30, -1, 1 << 30, -1};
    const int marched = p.marched != nullptr ? p.marched[bin] : 0;
    if (!is_empty(from) && (marched & kMarchMakes) == 0) {
      const int x0 = (whole_grid ? min(0, p.whole_x_min) : from.x0 + p.whole_x_min) & ~3;  // quads, also below 0
      const int x1 = whole_grid ? max(t.nx, t.nx + p.whole_x_max + 1) : from.x1 + p.whole_x_max + 1;
      const int z0 = kDepth ? 0 : whole_grid ? min(0, p.whole_z_min) : from.z0 + p.whole_z_min;
      const int z1 = kDepth ? 1 : whole_grid ? max(t.nz, t.nz + p.whole_z_max + 1) : from.z1 + p.whole_z_max + 1;
      if (!kDepth && min(z1, t.nz) - max(z0, 0) > p.ring) control->overflow = 1;
      for (int z = z0; z < z1; z += p.chunk) {
        for (int x = x0; x < x1; x += kFusedTile) {
          emit({kAdvance, bin, x, z, min(z + p.chunk, z1), (x == x0 ? 1 : 0) | (z == z0 ? 2 : 0),
                (x + kFusedTile >= x1 ? 1 : 0) | (z + p.chunk >= z1 ? 2 : 0)});
        }
      }
    }
    const DeviceBox mine = now[bin];
    if (!is_empty(mine) && (marched & kMarchScores) == 0) {
      for (int z = mine.z0; z < mine.z1; z += kScoreRows) emit({kScore, bin, 0, z, min(z + kScoreRows, mine.z1), 0, 0});
    }
  }
  __syncthreads();
}

/// Runs in the last block of a step: closes it and plans the next.
template <typename T, bool kDepth>
__device__ void finish_step(const FusedParameters<T>& p, int step) {
  StepControl* control = p.control;
  // What step - 1 wrote and this step did not find inside the bounds was cut from the window.
  double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
  const double* written = p.written + static_cast<unsigned long long>(step) * 2;
  if (threadIdx.x == 0 && p.window != 0 && step > 0) {
    ledger[kSkipped] = written[0] - ledger[kInFlight];
    ledger[kEnergySkipped] = written[1] - ledger[kEnergyInFlight];
  }
  const bool done = written[2] <= p.stop_number || control->overflow != 0;
  if (!done) plan_step<T, kDepth>(p, step + 1);
  if (threadIdx.x == 0) {
    control->next_item = 0;
    control->blocks_done = 0;
    if (done) control->done = 1;
    __threadfence();
    atomicExch(&control->step, step + 1);
  }
}

}  // namespace bb::transport::fused
