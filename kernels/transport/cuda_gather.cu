#include "cuda_common.cuh"
#include "cuda_gather.hpp"

// The operators as gathers, one kernel each: a thread makes the cells that it owns from the cells that feed
// them. x is contiguous across the threads of a warp, so every access is coalesced; nothing is cleared, and
// what several blocks add to is the ledger row alone.
namespace bb::transport {

/// Dose, crossings and losses of the state. A block owns 32 cells of one row z and adds up their (e, θ)
/// fields, so that dose needs no atomics: grid (⌈nx/32⌉, rows), block (32, kGatherScoreWarps).
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
  for (int e = s.first_bin; inside && e < s.first_bin + s.bins; ++e) {
    // One bin's few angles add up in T, the bins in FP64: consumer GPUs have few FP64 units.
    T count = 0, crossing = 0, crossing_theta = 0, crossing_theta_theta = 0;
    const auto settle = [&](int row) {
      const double n = static_cast<double>(count);
      number += n;
      energy += n * t.energy[e];
      dose += n * static_cast<double>(t.deposit[row]);
      stopped += n * static_cast<double>(t.stopped[row]);
      nuclear += n * static_cast<double>(t.nuclear[row]);
      nuclear_energy += n * static_cast<double>(t.nuclear_escape[row]);
    };
    const T* p = s.from + field_offset(s, e, 0) + i;
    for (int a = threadIdx.y; a < t.ntheta; a += kGatherScoreWarps) {
      const T value = p[static_cast<long long>(a) * field_cells(s)];
      low = fmaxf(low, -static_cast<float>(value));
      high = fmaxf(high, static_cast<float>(value));
      const T crossed = value * t.plane_weight[a];
      crossing += crossed;
      crossing_theta += crossed * t.theta[a];
      crossing_theta_theta += crossed * t.theta[a] * t.theta[a];
      count += value;
      if (t.depth) {  // the losses differ from angle to angle
        settle(table_row(t, a, m, e));
        count = 0;
      }
    }
    if (!t.depth) settle(table_row(t, 0, m, e));
    current += static_cast<double>(crossing);
    current_theta += static_cast<double>(crossing_theta);
    current_theta_theta += static_cast<double>(crossing_theta_theta);
  }

  __shared__ double parts[4][kGatherScoreWarps][32];
  parts[0][threadIdx.y][threadIdx.x] = dose;
  parts[1][threadIdx.y][threadIdx.x] = current;
  parts[2][threadIdx.y][threadIdx.x] = current_theta;
  parts[3][threadIdx.y][threadIdx.x] = current_theta_theta;
  __syncthreads();
  if (threadIdx.y < 4 && inside) {
    double sum = 0;
    for (int w = 0; w < kGatherScoreWarps; ++w) sum += parts[threadIdx.y][w][threadIdx.x];
    double* const field = threadIdx.y == 0   ? s.scores.dose
                          : threadIdx.y == 1 ? s.scores.current
                          : threadIdx.y == 2 ? s.scores.current_theta
                                             : s.scores.current_theta_theta;
    field[s.plane * t.nx + i] += sum;
  }

  double* row = ledger_row(s.scores, s.step);
  block_add(row + kInFlight, number);
  block_add(row + kEnergyInFlight, energy);
  block_add(row + kDeposited, dose);
  block_add(row + kStopped, stopped);
  block_add(row + kNuclear, nuclear);
  block_add(row + kEnergyNuclear, nuclear_energy);
  low = warp_max(low);
  high = warp_max(high);
  if (threadIdx.x == 0) {
    raise(s.scores.extremes, low);
    raise(s.scores.extremes + 1, high);
  }
}

/// One thread per cell, block rows over θ and the energies made.
template <typename T>
__device__ void gather_slow_down(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = blockIdx.y;
  const int e = s.first_bin + blockIdx.z;
  if (i >= field_cells(s)) return;
  const int row = table_row(t, step_class(t, a), material_of(s, i), e);
  T sum = 0;
  for (int k = t.gather_begin[row]; k < t.gather_begin[row + 1]; ++k) {
    sum += t.gather_weight[k] * s.from[field_offset(s, t.gather_source[k], a) + i];
  }
  s.to[field_offset(s, e, a) + i] = sum;
}

/// One thread per cell, block rows over θ and the energies made.
template <typename T>
__device__ void gather_scatter_angles(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = blockIdx.y;
  const int e = s.first_bin + blockIdx.z;
  const bool inside = i < field_cells(s);
  const int m = inside ? material_of(s, i) : 0;
  const T* p = s.from + field_offset(s, e, 0) + i;
  const long long angle = field_cells(s);  // from one angle to the next
  T sum = 0;
  double lost = 0.0;
  if (inside) {
    const int row = table_row(t, step_class(t, a), m, e);
    const int half = t.angle_begin[row + 1] - t.angle_begin[row] - 1;
    const T* w = t.angle_weight + t.angle_begin[row];
    // With depth stepping each source angle has its own kernel.
    const auto part = [&](int b, int distance) {
      if (b < 0 || b >= t.ntheta) return T(0);
      if (!t.depth) return w[distance] * p[b * angle];
      const int other = table_row(t, b, m, e);
      const int begin = t.angle_begin[other];
      return distance < t.angle_begin[other + 1] - begin ? t.angle_weight[begin + distance] * p[b * angle] : T(0);
    };
    // From the far, small parts to the near ones: the other way round FP32 loses more of them than it gains.
    for (int k = t.depth ? t.angle_half_max : half; k > 0; --k) sum += part(a - k, k) + part(a + k, k);
    sum += part(a, 0);
    s.to[field_offset(s, e, a) + i] = sum;
    const T own = p[a * angle];
    for (int k = a + 1; k <= half; ++k) lost += static_cast<double>(own * w[k]);
    for (int k = t.ntheta - a; k <= half; ++k) lost += static_cast<double>(own * w[k]);
  }
  if (a >= t.angle_half_max && a + t.angle_half_max < t.ntheta) return;  // for the whole block
  double* row = ledger_row(s.scores, s.step);
  block_add(row + kEscapedTheta, lost);
  block_add(row + kEnergyEscapedTheta, lost * t.energy[e]);
}

/// One thread per cell and kGatherStreamBins energies, block rows over θ and groups of the energies made.
template <typename T, bool kAlongX>
__device__ void gather_stream(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = blockIdx.y;
  const int z = i / t.nx;
  const int x = i - z * t.nx;
  const int first = s.first_bin + blockIdx.z * kGatherStreamBins;
  const int last = i < field_cells(s) ? min(s.first_bin + s.bins, first + kGatherStreamBins) : first;
  T c[physics::kRemapTaps];
  for (int m = 0; m < physics::kRemapTaps; ++m) c[m] = (kAlongX ? t.flux_x : t.flux_z)[a * physics::kRemapTaps + m];
  const int whole = kAlongX ? t.whole_x[a] : t.whole_z[a];
  double number = 0.0, energy = 0.0;
  for (int e = first; e < last; ++e) {
    const long long field = field_offset(s, e, a);
    double lost = 0.0;
    if (kAlongX) {
      s.to[field + i] = remap_cell(s.from + field + z * t.nx, x, t.nx, 1, whole, c, lost);
    } else {
      s.to[field + i] = remap_cell(s.from + field + x, z, t.nz, t.nx, whole, c, lost);
    }
    number += lost;
    energy += lost * t.energy[e];
  }
  double* row = ledger_row(s.scores, s.step);
  block_add(row + (kAlongX ? kEscapedX : kEscapedZ), number);
  block_add(row + (kAlongX ? kEnergyEscapedX : kEnergyEscapedZ), energy);
}

template <typename T>
__device__ void gather_stream_x(const DeviceStep<T>& s) {
  gather_stream<T, true>(s);
}

template <typename T>
__device__ void gather_stream_z(const DeviceStep<T>& s) {
  gather_stream<T, false>(s);
}

BB_STEP_KERNEL(gather_score, 32 * kGatherScoreWarps)
BB_STEP_KERNEL(gather_slow_down, kGatherThreads)
BB_STEP_KERNEL(gather_scatter_angles, kGatherThreads)
BB_STEP_KERNEL(gather_stream_x, kGatherThreads)
BB_STEP_KERNEL(gather_stream_z, kGatherThreads)

}  // namespace bb::transport
