#include "cuda_gather.hpp"
#include "transport/cuda/cuda_common.cuh"

// The operators in gather form, one kernel each: a thread computes its own cells from their source cells. x is
// contiguous across the threads of a warp, so every access is coalesced. No array is cleared first, and blocks share
// only the ledger row.
namespace bb::transport {

/// The cell of a field that thread `n` computes. Neighbouring threads compute neighbours along x, which are contiguous.
/// With `kStrided` they compute neighbours along z, which are nx cells apart. Both orders visit each cell once and give
/// the same values.
template <bool kStrided, typename T>
__device__ int cell_of_thread(const DeviceStep<T>& s, int n) {
  if constexpr (!kStrided) return n;
  const int x = n / s.rows;
  return (n - x * s.rows) * s.tables.nx + x;
}

/// Scores dose, crossings and losses of the state. A block sums the (e, θ) fields over 32 cells of one row z, so that
/// dose needs no atomics. Grid: (⌈nx/32⌉, rows); block: (32, kScoreWarps).
template <typename T>
__device__ void gather_score(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int z = blockIdx.y;
  const int i = z * t.nx + x;
  const bool inside = x < t.nx;
  const int m = inside ? material_of(s, i) : 0;

  double dose = 0, current = 0, current_theta = 0, current_theta_theta = 0;
  double number = 0, energy = 0, stopped = 0, nuclear = 0, nuclear_energy = 0;
  float low = 0.0f, high = 0.0f;
  const int groups = (t.ntheta + kScoreAngles - 1) / kScoreAngles;
  for (int n = threadIdx.y; inside && n < s.bins * groups; n += kScoreWarps) {
    const int e = s.first_bin + n / groups;
    const int a0 = n % groups * kScoreAngles;
    const T* p = s.from + field_offset(s, e, a0) + i;
    T value[kScoreAngles];
#pragma unroll
    for (int j = 0; j < kScoreAngles; ++j) {
      value[j] = a0 + j < t.ntheta ? p[static_cast<long long>(j) * field_cells(s)] : T(0);
    }
    const auto settle = [&](T protons, int row) {
      const double count = static_cast<double>(protons);
      number += count;
      energy += count * t.energy[e];
      dose += count * static_cast<double>(t.deposit[row]);
      stopped += count * static_cast<double>(t.stopped[row]);
      nuclear += count * static_cast<double>(t.nuclear[row]);
      nuclear_energy += count * static_cast<double>(t.nuclear_escape[row]);
    };
    // Sums over these few angles are in T, larger sums in FP64, because consumer GPUs have few FP64 units.
    T protons = 0, crossing = 0, crossing_theta = 0, crossing_theta_theta = 0;
#pragma unroll
    for (int j = 0; j < kScoreAngles; ++j) {
      const int a = min(a0 + j, t.ntheta - 1);
      low = fmaxf(low, -static_cast<float>(value[j]));
      high = fmaxf(high, static_cast<float>(value[j]));
      const T crossed = value[j] * t.plane_weight[a];
      crossing += crossed;
      crossing_theta += crossed * t.theta[a];
      crossing_theta_theta += crossed * t.theta[a] * t.theta[a];
      protons += value[j];
      if (t.depth) settle(value[j], table_row(t, a, m, e));  // the losses differ by angle
    }
    if (!t.depth) settle(protons, table_row(t, 0, m, e));
    current += static_cast<double>(crossing);
    current_theta += static_cast<double>(crossing_theta);
    current_theta_theta += static_cast<double>(crossing_theta_theta);
  }

  __shared__ double parts[4][kScoreWarps][32];
  parts[0][threadIdx.y][threadIdx.x] = dose;
  parts[1][threadIdx.y][threadIdx.x] = current;
  parts[2][threadIdx.y][threadIdx.x] = current_theta;
  parts[3][threadIdx.y][threadIdx.x] = current_theta_theta;
  __syncthreads();
  if (threadIdx.y < 4 && inside) {
    double sum = 0;
    for (int w = 0; w < kScoreWarps; ++w) sum += parts[threadIdx.y][w][threadIdx.x];
    double* const field = threadIdx.y == 0   ? s.scores.dose
                          : threadIdx.y == 1 ? s.scores.current
                          : threadIdx.y == 2 ? s.scores.current_theta
                                             : s.scores.current_theta_theta;
    field[s.plane * t.nx + i] += sum;
  }

  constexpr LedgerColumn kColumns[] = {kInFlight, kEnergyInFlight, kDeposited, kStopped, kNuclear, kEnergyNuclear};
  double sums[] = {number, energy, dose, stopped, nuclear, nuclear_energy};
  block_sums(sums);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    double* row = ledger_row(s.scores, s.step);
    for (int n = 0; n < 6; ++n) {
      if (sums[n] != 0.0) atomicAdd(row + kColumns[n], sums[n]);
    }
  }
  low = warp_max(low);
  high = warp_max(high);
  if (threadIdx.x == 0) {
    atomic_max(s.scores.extremes, low);
    atomic_max(s.scores.extremes + 1, high);
  }
}

/// Energy gather: a thread computes one cell at kGatherAngles angles. blockIdx.y is the group of angles, blockIdx.z the
/// launched energy bin.
template <typename T, bool kStrided = false>
__device__ void gather_slow_down(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int a0 = blockIdx.y * kGatherAngles;
  const int e = s.first_bin + blockIdx.z;
  if (n >= field_cells(s)) return;
  const int i = cell_of_thread<kStrided>(s, n);
  const int m = material_of(s, i);
  // With depth stepping each angle has its own sources and weights, so angles are gathered one by one. An incomplete
  // group of angles is gathered in the same way.
  if (t.depth || a0 + kGatherAngles > t.ntheta) {
    for (int a = a0; a < min(a0 + kGatherAngles, t.ntheta); ++a) {
      const int row = table_row(t, step_class(t, a), m, e);
      T sum = 0;
      for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
        sum += t.gather_weight[k] * s.from[field_offset(s, t.gather_source[k], a) + i];
      }
      s.to[field_offset(s, e, a) + i] = sum;
    }
    return;
  }
  const int row = table_row(t, 0, m, e);
  T sum[kGatherAngles] = {};
  for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
    const T w = t.gather_weight[k];
    const T* p = s.from + field_offset(s, t.gather_source[k], a0) + i;
#pragma unroll
    for (int j = 0; j < kGatherAngles; ++j) sum[j] += w * p[static_cast<long long>(j) * field_cells(s)];
  }
  T* to = s.to + field_offset(s, e, a0) + i;
#pragma unroll
  for (int j = 0; j < kGatherAngles; ++j) to[static_cast<long long>(j) * field_cells(s)] = sum[j];
}

/// Angle convolution: a thread computes one cell, a block 32 cells × kGatherAngleRows angles. blockIdx.y is the group
/// of angles, blockIdx.z the launched energy bin.
template <typename T, bool kStrided = false>
__device__ void gather_scatter_angles(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int n = blockIdx.x * 32 + threadIdx.x;
  const int i = cell_of_thread<kStrided>(s, n);
  const int a = blockIdx.y * kGatherAngleRows + threadIdx.y;
  const int e = s.first_bin + blockIdx.z;
  AngleLoss lost;
  if (n < field_cells(s) && a < t.ntheta) {
    const int m = material_of(s, i);
    const long long angle = field_cells(s);  // stride between angles
    const T* p = s.from + field_offset(s, e, a) + i;
    const int row = table_row(t, step_class(t, a), m, e);
    const int half = t.angle_begin[row + 1] - t.angle_begin[row] - 1;
    const T* w = t.angle_weight + t.angle_begin[row];
    T sum = 0;
    // Sums from the small terms (large scattering angles) to the large ones. In the opposite order, rounding in FP32
    // would lose protons on average.
    if (t.depth) {  // each source angle has its own kernel
      const auto part = [&](int b, int distance) {
        if (b < 0 || b >= t.ntheta) return T(0);
        const int other = table_row(t, b, m, e);
        const int begin = t.angle_begin[other];
        if (distance >= t.angle_begin[other + 1] - begin) return T(0);
        return t.angle_weight[begin + distance] * p[(b - a) * angle];
      };
      for (int k = t.angle_half_max; k > 0; --k) sum += part(a - k, k) + part(a + k, k);
    } else {
      const T* below = p - half * angle;
      const T* above = p + half * angle;
#pragma unroll 4
      for (int k = half; k > 0; --k, below += angle, above -= angle) {
        const T pair = (a - k >= 0 ? *below : T(0)) + (a + k < t.ntheta ? *above : T(0));
        sum += w[k] * pair;
      }
    }
    const T own = *p;
    sum += w[0] * own;
    s.to[field_offset(s, e, a) + i] = sum;
    lose_angles(w, half, a, t.ntheta, own, lost);
  }
  block_escape(ledger_row(s.scores, s.step), lost, t.energy[e]);
}

/// Remap along one axis: a thread computes one cell in kGatherStreamBins energy bins. blockIdx.y is the angle,
/// blockIdx.z the group of launched energy bins.
template <typename T, bool kAlongX, bool kStrided = false>
__device__ void gather_stream(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = cell_of_thread<kStrided>(s, n);
  const int a = blockIdx.y;
  const int z = i / t.nx;
  const int x = i - z * t.nx;
  const int first = s.first_bin + blockIdx.z * kGatherStreamBins;
  const int last = n < field_cells(s) ? min(s.first_bin + s.bins, first + kGatherStreamBins) : first;
  T c[physics::kRemapTaps];
  for (int m = 0; m < physics::kRemapTaps; ++m) c[m] = (kAlongX ? t.flux_x : t.flux_z)[a * physics::kRemapTaps + m];
  const int whole = kAlongX ? t.whole_x[a] : t.whole_z[a];
  double number = 0.0, energy = 0.0;
  for (int e = first; e < last; ++e) {
    const long long field = field_offset(s, e, a);
    double lost = 0.0;
    if (kAlongX) {
      s.to[field + i] = remap_cell<true>(s.from + field + z * t.nx, x, t.nx, 1, whole, c, lost);
    } else {
      s.to[field + i] = remap_cell<false>(s.from + field + x, z, t.nz, t.nx, whole, c, lost);
    }
    number += lost;
    energy += lost * t.energy[e];
  }
  const Face face = face_ahead(kAlongX ? kXLow : kZLow, whole);
  block_add(ledger_row(s.scores, s.step), escaped_column(face), number, escaped_energy_column(face), energy);
}

template <typename T>
__device__ void gather_stream_x(const DeviceStep<T>& s) {
  gather_stream<T, true>(s);
}

template <typename T>
__device__ void gather_stream_z(const DeviceStep<T>& s) {
  gather_stream<T, false>(s);
}

// The operators of `cuda-uncoalesced`.
template <typename T>
__device__ void strided_slow_down(const DeviceStep<T>& s) {
  gather_slow_down<T, true>(s);
}

template <typename T>
__device__ void strided_scatter_angles(const DeviceStep<T>& s) {
  gather_scatter_angles<T, true>(s);
}

template <typename T>
__device__ void strided_stream_x(const DeviceStep<T>& s) {
  gather_stream<T, true, true>(s);
}

template <typename T>
__device__ void strided_stream_z(const DeviceStep<T>& s) {
  gather_stream<T, false, true>(s);
}

BB_STEP_KERNEL(gather_score, 32 * kScoreWarps)
BB_STEP_KERNEL(gather_slow_down, kGatherThreads)
BB_STEP_KERNEL(gather_scatter_angles, 32 * kGatherAngleRows)
BB_STEP_KERNEL(gather_stream_x, kGatherThreads)
BB_STEP_KERNEL(gather_stream_z, kGatherThreads)
BB_STEP_KERNEL(strided_slow_down, kGatherThreads)
BB_STEP_KERNEL(strided_scatter_angles, 32 * kGatherAngleRows)
BB_STEP_KERNEL(strided_stream_x, kGatherThreads)
BB_STEP_KERNEL(strided_stream_z, kGatherThreads)

}  // namespace bb::transport
