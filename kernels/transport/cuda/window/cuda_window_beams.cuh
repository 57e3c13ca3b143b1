#pragma once

#include "cuda_window_plan.cuh"
#include "cuda_window_state.cuh"

// Several beams in one launch: functions with which a team of blocks starts and ends a beam.
namespace bb::transport::window {

/// Reserves a place (the storage for the state of one beam) that no other block uses. There are as many places as
/// blocks that can run at a time, over all launches.
template <typename T>
__device__ int acquire_storage(const WindowBeams<T>& b) {
  int place = static_cast<int>(blockIdx.x) % b.places;
  while (atomicCAS(&b.taken[place], 0, 1) != 0) place = (place + 1) % b.places;
  __threadfence();
  b.controls[place] = {};
  return place;
}

template <typename T>
__device__ void release_storage(const WindowBeams<T>& b, int place) {
  __threadfence();
  atomicExch(&b.taken[place], 0);
}

/// Waits for all blocks of the team. Their writes are then visible to loads that bypass the L1 cache.
template <typename T>
__device__ inline void meet_team(WindowControl* control, const SharedPointers<T>& s, FixedMemory& fixed) {
  meet_all();
  if (threadIdx.x == 0) {
    arrive(control);
    wait_for_all(control, ++fixed.waits, s.blocks);
    __threadfence();
  }
  meet_all();
}

/// Writes the start of a beam to the team's first state. Content of the previous beam remains elsewhere, because only
/// cells inside boxes are ever read.
template <typename T>
__device__ void write_start(const WindowParameters<T>& p, const WindowBeams<T>& b, const WindowStart& start,
                            const SharedPointers<T>& s) {
  const int ne = p.tables.ne, nx = p.tables.nx;
  const int thread = s.block * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  const int threads = s.blocks * static_cast<int>(blockDim.x);
  const int z = p.rows == 1 ? 0 : p.start_z;
  const int x0 = floor_quads(start.x0), x1 = ceil_quads(start.x1);
  const auto holds = [&](int bin) {
    const int place = bin - start.first_bin;
    return place >= 0 && place < start.bins && b.values[start.bins_at + place] != 0.0;
  };
  for (int bin = thread; bin < ne; bin += threads) {
    p.bounds[0][bin] = holds(bin) ? WindowBox{z, z + 1, start.a0, start.a1, x0, x1, {}} : empty_box();
    p.bounds[1][bin] = p.bounds[2][bin] = empty_box();
  }
  for (int i = thread; i < 2 * (b.steps + 1); i += threads) p.written[i] = 0.0;
  const int width = x1 - x0, angles = start.a1 - start.a0;
  for (int i = thread; i < start.bins * angles * width; i += threads) {
    const int place = i / (angles * width);
    const int angle = i / width % angles;
    const int x = x0 + i % width;
    const bool inside = x >= start.x0 && x < start.x1 && x < nx;
    const double columns = inside ? b.values[start.columns_at + angle * (start.x1 - start.x0) + x - start.x0] : 0.0;
    p.state[0][row_start(p, start.first_bin + place, z) + static_cast<unsigned long long>(start.a0 + angle) * p.pitch +
               x] = static_cast<T>(b.values[start.bins_at + place] * b.values[start.angles_at + angle] * columns);
  }
}

/// Sets `mine` to the parameters of the beam's steps, with the state at `place`.
template <typename T>
__device__ void begin_beam(const WindowParameters<T>& common, const WindowBeams<T>& b, int place, int beam,
                           WindowParameters<T>& mine, const SharedPointers<T>& s) {
  const WindowStart start = b.starts[beam];
  if (threadIdx.x == 0) {
    mine = common;
    const int ne = common.tables.ne;
    for (int i = 0; i < 2; ++i) mine.state[i] = b.states + (2LL * place + i) * b.state_cells;
    for (int i = 0; i < 3; ++i) mine.bounds[i] = b.boxes + (3LL * place + i) * ne;
    mine.control = b.controls + place;
    mine.written = b.written + 2LL * place * (b.steps + 1);
    const long long plane = static_cast<long long>(common.tables.nz) * common.tables.nx;
    const long long field = plane * b.beams;
    double* const dose = b.fields + plane * beam;
    mine.scores.dose = dose;
    mine.scores.current = dose + field;
    mine.scores.current_theta = dose + 2 * field;
    mine.scores.current_theta_theta = dose + 3 * field;
    mine.scores.ledger = b.ledgers + static_cast<long long>(beam) * (b.steps + 1) * kLedgerColumns;
    mine.scores.extremes = b.extremes + 2LL * beam;
    mine.threshold = static_cast<T>(b.threshold * start.number);
    mine.stop_number = b.stop_share * start.number;
  }
  meet_all();
  write_start(mine, b, start, s);
}

/// Adds content in flight at the end to the last row of the beam's ledger. Content beyond the last plane has left the
/// grid instead.
template <typename T, bool kDepth>
__device__ void end_beam(const WindowParameters<T>& p, const SharedPointers<T>& s, int step, int steps) {
  double number = 0, energy = 0;
  for (int bin = s.block; bin < p.tables.ne; bin += s.blocks) {
    double held = 0;
    each_cell(p, step, bin, [&](T v) { held += static_cast<double>(v); });
    number += held;
    energy += held * p.tables.energy[bin];
  }
  if (kDepth && p.start_z + step >= p.tables.nz) {
    block_add(ledger_row(p.scores, step - 1), escaped_column(kZHigh), number, escaped_energy_column(kZHigh), energy);
  } else {
    block_add(ledger_row(p.scores, steps), kInFlight, number, kEnergyInFlight, energy);
  }
}

/// Computes the sums of engine::Crossing from the currents of a row of cells. One warp for each row blockIdx.x of beam
/// blockIdx.y.
__device__ inline void add_moments(const double* fields, double* crossing, int nx, double dx) {
  const long long field = static_cast<long long>(gridDim.x) * gridDim.y * nx;
  const double* row = fields + (static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x) * nx;
  double sums[6] = {};
  for (int x = static_cast<int>(threadIdx.x); x < nx; x += 32) {
    const double position = (x + 0.5 - 0.5 * nx) * dx;
    const double current = row[field + x], theta = row[2 * field + x];
    sums[0] += current;
    sums[1] += current * position;
    sums[2] += current * position * position;
    sums[3] += theta;
    sums[4] += row[3 * field + x];
    sums[5] += theta * position;
  }
  double* const to = crossing + 6 * (static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x);
  for (int i = 0; i < 6; ++i) {
    const double sum = warp_sum(sums[i]);
    if (threadIdx.x == 0) to[i] = sum;
  }
}

}  // namespace bb::transport::window
