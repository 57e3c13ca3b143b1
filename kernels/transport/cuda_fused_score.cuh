#pragma once

#include "cuda_fused_common.cuh"

namespace bb::transport::fused {

/// Adds what the protons of one bin, rows z0 … z1, leave behind: dose, plane crossings, stopped and lost.
template <typename T, bool kDepth>
__device__ void score_item(const FusedParameters<T>& p, const WorkItem& item, int step, T* shared) {
  const DeviceTables<T>& t = p.tables;
  DeviceBox box = p.bounds[step & 1][item.bin];
  box.x1 = min(box.x1, t.nx);
  const unsigned long long slice = static_cast<unsigned long long>(p.ring) * t.ntheta * p.pitch;
  const T* state = p.state[step & 1] + item.bin * slice;
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  double number = 0, stopped = 0, nuclear = 0, nuclear_energy = 0, deposited = 0;
  T* partial = shared;  // [4][kWarps][32]
  for (int z = item.z0; z < item.z1; ++z) {
    const int map_row = kDepth ? p.start_z + step : z;
    for (int x0 = box.x0; x0 < box.x1; x0 += 32) {
      const int x = x0 + lane;
      T dose = T(0), current = T(0), current_t = T(0), current_tt = T(0);
      if (x < box.x1) {
        const int m = t.map[static_cast<unsigned long long>(map_row) * t.nx + x];
        const T* column = state + static_cast<unsigned long long>(kDepth ? 0 : z % p.ring) * t.ntheta * p.pitch + x;
        T count = T(0), stop = T(0), lost = T(0), lost_energy = T(0);
        for (int a = box.a0 + warp; a < box.a1; a += kWarps) {
          const T v = column[static_cast<unsigned long long>(a) * p.pitch];
          const T w = t.plane_weight[a] * v;
          const T theta = t.theta[a];
          count += v;
          current += w;
          current_t += w * theta;
          current_tt += w * theta * theta;
          if (kDepth) {
            const int row = (a * t.materials + m) * t.ne + item.bin;
            dose += v * t.deposit[row];
            stop += v * t.stopped[row];
            lost += v * t.nuclear[row];
            lost_energy += v * t.nuclear_escape[row];
          }
        }
        if (!kDepth) {
          const int row = m * t.ne + item.bin;
          dose = count * t.deposit[row];
          stop = count * t.stopped[row];
          lost = count * t.nuclear[row];
          lost_energy = count * t.nuclear_escape[row];
        }
        number += static_cast<double>(count);
        stopped += static_cast<double>(stop);
        nuclear += static_cast<double>(lost);
        nuclear_energy += static_cast<double>(lost_energy);
        deposited += static_cast<double>(dose);
      }
      partial[(0 * kWarps + warp) * 32 + lane] = dose;
      partial[(1 * kWarps + warp) * 32 + lane] = current;
      partial[(2 * kWarps + warp) * 32 + lane] = current_t;
      partial[(3 * kWarps + warp) * 32 + lane] = current_tt;
      __syncthreads();
      if (warp < 4 && x < box.x1) {
        double sum = 0;
        for (int w = 0; w < kWarps; ++w) sum += static_cast<double>(partial[(warp * kWarps + w) * 32 + lane]);
        double* const field = warp == 0   ? p.scores.dose
                              : warp == 1 ? p.scores.current
                              : warp == 2 ? p.scores.current_theta
                                          : p.scores.current_theta_theta;
        atomicAdd(field + static_cast<unsigned long long>(map_row) * t.nx + x, sum);
      }
      __syncthreads();
    }
  }
  double* ledger = p.scores.ledger + static_cast<unsigned long long>(step) * kLedgerColumns;
  add_from_warp(number, ledger + kInFlight);
  add_from_warp(number * t.energy[item.bin], ledger + kEnergyInFlight);
  add_from_warp(stopped, ledger + kStopped);
  add_from_warp(nuclear, ledger + kNuclear);
  add_from_warp(nuclear_energy, ledger + kEnergyNuclear);
  add_from_warp(deposited, ledger + kDeposited);
}

}  // namespace bb::transport::fused
