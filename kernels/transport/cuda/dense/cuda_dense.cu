#include "cuda_dense.hpp"
#include "transport/cuda/cuda_common.cuh"
#include "transport/model/filled_value.hpp"

// Kernels that write the source into ψ[e][θ][z][x], clear it, and sum it.
namespace bb::transport {

/// Fills ψ with random positive numbers, one cell per thread.
template <typename T>
__device__ void dense_fill(T* psi, unsigned long long cells, unsigned long long seed) {
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < cells) psi[i] = static_cast<T>(filled_value(seed, i));
}

/// Sets row `z` to the start of the beam, the sum of `parts` products [parts][…]. One thread per x; blockIdx.y is the
/// angle and blockIdx.z the energy bin.
template <typename T>
__device__ void dense_start(T* psi, const double* energy, const double* angle, const double* x_weight, int parts,
                            int ne, int ntheta, int rows, int nx, int z) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = blockIdx.y;
  const int e = blockIdx.z;
  if (x >= nx) return;
  double sum = 0.0;
  for (int part = 0; part < parts; ++part) {
    const long long row = static_cast<long long>(part) * ntheta + a;
    sum += energy[static_cast<long long>(part) * ne + e] * angle[row] * x_weight[row * nx + x];
  }
  psi[((static_cast<long long>(e) * ntheta + a) * rows + z) * nx + x] = static_cast<T>(sum);
}

/// Adds the protons Σψ to *number and their energy Σψ·E (MeV) to *energy. blockIdx.y is the energy bin.
template <typename T>
__device__ void dense_sum(const DeviceStep<T>& s, double* number, double* energy) {
  if (run_is_over(s)) return;
  const int e = blockIdx.y;
  const long long cells = static_cast<long long>(s.tables.ntheta) * field_cells(s);
  const T* p = s.from + e * cells;
  double sum = 0.0;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < cells; i += stride) {
    sum += static_cast<double>(p[i]);
  }
  double sums[1] = {sum};
  block_sums(sums);
  if (threadIdx.x != 0 || sums[0] == 0.0) return;
  atomicAdd(number, sums[0]);
  atomicAdd(energy, sums[0] * s.tables.energy[e]);
}

/// Zeroes the output. Does nothing if the run is over, because the output may then be the state.
template <typename T>
__device__ void dense_clear(const DeviceStep<T>& s, long long cells) {
  if (run_is_over(s)) return;
  constexpr int kPerWord = sizeof(float4) / sizeof(T);
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  float4* to = reinterpret_cast<float4*>(s.to);  // aligned, because it is a separate allocation; zero bits are 0.0
  for (long long i = first; i < cells / kPerWord; i += stride) to[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (first < cells % kPerWord) s.to[cells / kPerWord * kPerWord + first] = T(0);
}

/// Records the nuclear reactions of the state. A warp sums 32 cells of row z of one bin over the angles, then over the
/// cells of each column of the reaction grid. Grid: (⌈nx/32⌉, rows, ⌈ne/kRecordWarps⌉); block: (32, kRecordWarps).
template <typename T>
__device__ void dense_record(const DeviceStep<T>& s) {
  if (run_is_over(s)) return;
  const DeviceTables<T>& t = s.tables;
  const int e = blockIdx.z * kRecordWarps + threadIdx.y;
  if (e >= t.ne) return;  // same for all threads of a warp
  const int lane = threadIdx.x;
  const int x = blockIdx.x * 32 + lane;
  const int z = blockIdx.y;
  const bool inside = x < t.nx;
  double reacted = 0.0;
  if (inside) {
    const int i = z * t.nx + x;
    const int m = material_of(s, i);
    const T* p = s.from + field_offset(s, e, 0) + i;
    if (t.depth) {
      for (int a = 0; a < t.ntheta; ++a) {
        reacted +=
            static_cast<double>(p[static_cast<long long>(a) * field_cells(s)] * t.nuclear[table_row(t, a, m, e)]);
      }
    } else if (const T nuclear = t.nuclear[table_row(t, 0, m, e)]; nuclear != T(0)) {
      T sum = 0;
      for (int a = 0; a < t.ntheta; ++a) sum += p[static_cast<long long>(a) * field_cells(s)];
      reacted = static_cast<double>(sum * nuclear);
    }
  }
  if (!__any_sync(kWholeWarp, reacted != 0.0)) return;
  const DeviceReactions& r = s.scores.reactions;
  const int column = x / r.cells;
  for (int offset = 1; offset < min(r.cells, 32); offset <<= 1) {
    const double other = __shfl_down_sync(kWholeWarp, reacted, offset);
    const int its_column = __shfl_down_sync(kWholeWarp, column, offset);
    if (lane + offset < 32 && its_column == column) reacted += other;
  }
  const int before = __shfl_up_sync(kWholeWarp, column, 1);
  if (!inside || reacted == 0.0 || (lane > 0 && before == column)) return;
  record_reactions(r, e, s.plane + z, x, reacted);
}

BB_STEP_KERNEL(dense_record, 32 * kRecordWarps)

#define BB_DENSE_KERNELS(T, suffix)                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      dense_fill_##suffix(T* psi, unsigned long long cells, unsigned long long seed) {                           \
    dense_fill(psi, cells, seed);                                                                                \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      dense_start_##suffix(T* psi, const double* energy, const double* angle, const double* x_weight, int parts, \
                           int ne, int ntheta, int rows, int nx, int z) {                                        \
    dense_start(psi, energy, angle, x_weight, parts, ne, ntheta, rows, nx, z);                                   \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      dense_sum_##suffix(const __grid_constant__ DeviceStep<T> s, double* number, double* energy) {              \
    dense_sum(s, number, energy);                                                                                \
  }                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                              \
      dense_clear_##suffix(const __grid_constant__ DeviceStep<T> s, long long cells) {                           \
    dense_clear(s, cells);                                                                                       \
  }

BB_DENSE_KERNELS(float, f32)
BB_DENSE_KERNELS(double, f64)
#undef BB_DENSE_KERNELS

}  // namespace bb::transport
