#pragma once

#include "cuda_window_plan.cuh"

// Operations on the whole state other than steps: fill it, count its protons, and count those beyond the last plane as
// escaped. One block per bin.
namespace bb::transport::window {

/// Calls f(value) for every cell of a bin's box before step `step`.
template <typename T, typename F>
__device__ void each_cell(const WindowParameters<T>& p, int step, int bin, F&& f) {
  const DeviceTables<T>& t = p.tables;
  WindowBox box = load_box(p.bounds[step % 3] + bin);
  if (is_empty(box)) return;
  box.x1 = min(box.x1, t.nx);
  const T* state = p.state[t.depth != 0 ? step & 1 : 0];
  const int width = box.x1 - box.x0;
  const int angles = box.a1 - box.a0;
  const int cells = (box.z1 - box.z0) * angles * width;
  for (int i = threadIdx.x; i < cells; i += blockDim.x) {
    const int x = box.x0 + i % width;
    const int a = box.a0 + i / width % angles;
    const int z = box.z0 + i / (width * angles);
    f(__ldcg(state + row_start(p, bin, z) + static_cast<unsigned long long>(a) * p.pitch + x));
  }
}

template <typename T>
__device__ void count_bin(const WindowParameters<T>& p, double* row, int bin) {
  double number = 0;
  each_cell(p, p.control->step, bin, [&](T v) { number += static_cast<double>(v); });
  block_add(row, kInFlight, number, kEnergyInFlight, number * p.tables.energy[bin]);
}

/// Depth stepping: counts content in flight beyond the last plane as escaped, unless the run ended earlier.
template <typename T>
__device__ void leave_with_bin(const WindowParameters<T>& p, double* row, int bin) {
  const int step = p.control->step;
  if (p.start_z + step < p.tables.nz) return;
  double number = 0;
  each_cell(p, step, bin, [&](T v) { number += static_cast<double>(v); });
  block_escape(row, kZHigh, number, p.tables.energy[bin]);
  __syncthreads();  // all threads have read the box
  if (threadIdx.x == 0) p.bounds[step % 3][bin] = empty_box();
}

/// Fills every cell with a random positive number, which depends on its index in ψ[e][θ][z][x] as in the reference.
template <typename T>
__device__ void fill_bin(const WindowParameters<T>& p, unsigned long long seed, int bin) {
  const DeviceTables<T>& t = p.tables;
  const int cells = p.rows * t.ntheta * p.pitch;
  T* state = p.state[0] + row_start(p, bin, 0);
  for (int i = threadIdx.x; i < cells; i += kWindowWorkers) {
    const int x = i % p.pitch;
    const int a = i / p.pitch % t.ntheta;
    const int z = i / (p.pitch * t.ntheta);
    const unsigned long long index = ((static_cast<unsigned long long>(bin) * t.ntheta + a) * p.rows + z) * t.nx + x;
    state[i] = x < t.nx ? static_cast<T>(filled_value(seed, index)) : T(0);
  }
}

}  // namespace bb::transport::window
