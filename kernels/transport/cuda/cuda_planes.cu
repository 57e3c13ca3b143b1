#include "cuda_common.cuh"
#include "cuda_planes.hpp"

// Every output cell is summed by its own threads. Along x, threads read neighbouring cells. Only the few blocks that
// share an output cell use atomics. With depth stepping z has one row, which all blocks share.
namespace bb::transport::planes {

enum { kE, kA, kZ, kX };

/// Half-open index ranges whose cells add to one output cell. An energy's box limits its ranges further.
struct Bounds {
  int low[kPlaneAxes], high[kPlaneAxes];
};

template <typename T>
class Reader {
 public:
  __device__ Reader(const DeviceState<T>& state_held, const DevicePlane& plane_made) : s(state_held), p(plane_made) {
    step = s.step != nullptr ? *s.step : 0;
    state = s.state[step % s.states];
    boxes = s.box_sets > 0 ? s.boxes[step % s.box_sets] : nullptr;
    plane = s.plane + s.plane_per_step * step;
    for (int axis = 0; axis < kPlaneAxes; ++axis) {
      b.low[axis] = 0;
      b.high[axis] = s.sizes[axis];
      if (p.cut[axis] >= 0) restrict_to_cell(axis, p.cut[axis]);
    }
  }

  /// Whether `axis` is z and only one row of z is stored, as in depth stepping.
  __device__ bool has_single_row(int axis) const { return axis == kZ && s.sizes[kZ] == 1; }

  /// Restricts an axis to one cell. For z, `index` is the row of the map.
  __device__ void restrict_to_cell(int axis, int index) {
    const int at = axis == kZ ? index - plane : index;
    b.low[axis] = max(b.low[axis], at);
    b.high[axis] = min(b.high[axis], at + 1);
  }

  /// Calls f(row from column 0, first column of its box, end column) for every row within the bounds. Of the longest
  /// summed axis, only the rows `part`, `part` + `parts`, … are visited.
  template <typename F>
  __device__ void each_row(int part, int parts, F&& f) const {
    const bool by_e = b.high[kE] - b.low[kE] > 1;
    const bool by_z = !by_e && b.high[kZ] - b.low[kZ] > 1;
    const bool by_a = !by_e && !by_z;
    for (int e = b.low[kE] + (by_e ? part : 0); e < b.high[kE]; e += by_e ? parts : 1) {
      const int* box = boxes != nullptr ? boxes + static_cast<long long>(e) * s.box_ints : nullptr;
      const int z0 = box != nullptr ? max(b.low[kZ], box[0]) : b.low[kZ];
      const int z1 = box != nullptr ? min(b.high[kZ], box[1]) : b.high[kZ];
      const int a0 = box != nullptr ? max(b.low[kA], box[2]) : b.low[kA];
      const int a1 = box != nullptr ? min(b.high[kA], box[3]) : b.high[kA];
      const int x0 = box != nullptr ? max(b.low[kX], box[4]) : b.low[kX];
      const int x1 = box != nullptr ? min(b.high[kX], box[5]) : b.high[kX];
      const T* from = state + e * s.strides[kE];
      for (int z = z0 + (by_z ? part : 0); z < z1; z += by_z ? parts : 1) {
#pragma unroll 4
        for (int a = a0 + (by_a ? part : 0); a < a1; a += by_a ? parts : 1) {
          f(from + z * s.strides[kZ] + a * s.strides[kA], x0, x1);
        }
      }
    }
  }

  const DeviceState<T>& s;
  const DevicePlane& p;
  const T* state;
  const int* boxes;
  int step, plane;
  Bounds b;
};

/// Planes with x. Grid: (⌈nx/32⌉, cells of the other axis or its one row, parts of the sum); block: (32, kPlaneRows).
template <typename T>
__device__ void sum_with_x(const DeviceState<T>& s, const DevicePlane& p) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  Reader<T> reader(s, p);
  const int y = reader.has_single_row(p.first) ? reader.plane : static_cast<int>(blockIdx.y);
  if (y >= p.first_cells) return;
  reader.restrict_to_cell(p.first, y);
  double sum = 0.0;
  const int part = blockIdx.z * kPlaneRows + threadIdx.y;
  reader.each_row(part, gridDim.z * kPlaneRows, [&](const T* row, int x0, int x1) {
    if (x >= x0 && x < x1) sum += static_cast<double>(row[x]);
  });
  __shared__ double parts[kPlaneRows][32];
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || x >= s.sizes[kX]) return;
  for (int n = 1; n < kPlaneRows; ++n) sum += parts[n][threadIdx.x];
  if (sum != 0.0) atomicAdd(p.sums + y * p.strides[p.first] + x * p.strides[kX], sum);
}

/// Planes without x, which is summed or cut. Grid: (⌈cells of the second axis/kPlaneRows⌉, cells of the first, parts of
/// the sum); block: (32, kPlaneRows). An axis with one stored row counts as one cell; if it is the second axis, all
/// warps of a block share its sum.
template <typename T>
__device__ void sum_over_x(const DeviceState<T>& s, const DevicePlane& p) {
  Reader<T> reader(s, p);
  const bool shared = reader.has_single_row(p.second);
  const int warp = static_cast<int>(threadIdx.y);
  const int i = reader.has_single_row(p.first) ? reader.plane : static_cast<int>(blockIdx.y);
  const int j = shared ? reader.plane : static_cast<int>(blockIdx.x) * kPlaneRows + warp;
  if (i >= p.first_cells || j >= p.second_cells) return;
  reader.restrict_to_cell(p.first, i);
  reader.restrict_to_cell(p.second, j);
  const int each = shared ? kPlaneRows : 1;
  const int parts = static_cast<int>(gridDim.z) * each;
  double sum = 0.0;
  reader.each_row(static_cast<int>(blockIdx.z) * each + (shared ? warp : 0), parts, [&](const T* row, int x0, int x1) {
    for (int x = x0 + static_cast<int>(threadIdx.x); x < x1; x += 32) sum += static_cast<double>(row[x]);
  });
  sum = warp_sum(sum);
  if (threadIdx.x != 0 || sum == 0.0) return;
  double* const to = p.sums + i * p.strides[p.first] + j * p.strides[p.second];
  if (parts == 1) {
    *to = sum;
  } else {
    atomicAdd(to, sum);
  }
}

}  // namespace bb::transport::planes

#define BB_PLANES_ENTRY(name, T)                                                                                       \
  extern "C" __global__ void __launch_bounds__(32 * bb::transport::kPlaneRows) planes_with_x_##name(                   \
      const __grid_constant__ bb::transport::DeviceState<T> s, const __grid_constant__ bb::transport::DevicePlane p) { \
    bb::transport::planes::sum_with_x<T>(s, p);                                                                        \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(32 * bb::transport::kPlaneRows) planes_over_x_##name(                   \
      const __grid_constant__ bb::transport::DeviceState<T> s, const __grid_constant__ bb::transport::DevicePlane p) { \
    bb::transport::planes::sum_over_x<T>(s, p);                                                                        \
  }

BB_PLANES_ENTRY(f32, float)
BB_PLANES_ENTRY(f64, double)

/// Rounds the sums to FP32 for display, which halves the download.
extern "C" __global__ void planes_rounded(const double* from, float* to, const long long count) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    to[i] = static_cast<float>(from[i]);
  }
}
