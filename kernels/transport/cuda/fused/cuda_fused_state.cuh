#pragma once

#include "cuda_fused_common.cuh"

// Operations on the whole state other than the step: set its start, and count its protons. One block per bin.
namespace bb::transport::fused {

/// Calls f(value, z, angle, x) for every cell of a bin's box.
template <typename T, typename F>
__device__ void each_cell(const FusedParameters<T>& p, int bin, F&& f) {
  const DeviceTables<T>& t = p.tables;
  const int step = p.control->step;
  DeviceBox box = p.bounds[step & 1][bin];
  if (is_empty(box)) return;
  box.x1 = min(box.x1, t.nx);
  const T* state = (p.alternates != 0 && (step & 1) != 0 ? p.turned : p.state) + row_start(p, bin, 0);
  const int width = box.x1 - box.x0;
  const int angles = box.a1 - box.a0;
  const int cells = (box.z1 - box.z0) * angles * width;
  for (int i = threadIdx.x; i < cells; i += kFusedThreads) {
    const int x = box.x0 + i % width;
    const int a = box.a0 + i / width % angles;
    const int z = box.z0 + i / (width * angles);
    f(state[(static_cast<unsigned long long>(z) * t.ntheta + a) * p.pitch + x], z, a, x);
  }
}

template <typename T>
__device__ void count_bin(const FusedParameters<T>& p, double* row, int bin) {
  double number = 0;
  each_cell(p, bin, [&](T v, int, int, int) { number += static_cast<double>(v); });
  add_from_warp(number, row + kInFlight);
  add_from_warp(number * p.tables.energy[bin], row + kEnergyInFlight);
}

template <typename T>
__device__ void leave_with_bin(const FusedParameters<T>& p, double* row, int bin) {
  if (p.start_z + p.control->step < p.tables.nz) return;  // the run ended before the last plane
  double number = 0;
  each_cell(p, bin, [&](T v, int, int, int) { number += static_cast<double>(v); });
  add_from_warp(number, row + escaped_column(kZHigh));
  add_from_warp(number * p.tables.energy[bin], row + escaped_energy_column(kZHigh));
  __syncthreads();  // all threads have read the box
  if (threadIdx.x == 0) {
    p.bounds[p.control->step & 1][bin] = empty_box();
    p.control->done = 1;
  }
}

/// Fills every cell with a random positive number, which depends on its index in ψ[e][θ][z][x] as in the reference.
template <typename T>
__device__ void fill_bin(const FusedParameters<T>& p, unsigned long long seed, int bin) {
  const DeviceTables<T>& t = p.tables;
  const int rows = t.depth != 0 ? 1 : t.nz;
  const int cells = rows * t.ntheta * t.nx;
  T* state = p.state + row_start(p, bin, 0);
  for (int i = threadIdx.x; i < cells; i += kFusedThreads) {
    const int x = i % t.nx;
    const int a = i / t.nx % t.ntheta;
    const int z = i / (t.nx * t.ntheta);
    const unsigned long long index = ((static_cast<unsigned long long>(bin) * t.ntheta + a) * rows + z) * t.nx + x;
    state[(static_cast<unsigned long long>(z) * t.ntheta + a) * p.pitch + x] =
        static_cast<T>(filled_value(seed, index));
  }
}

}  // namespace bb::transport::fused
