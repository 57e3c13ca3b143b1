#include "device_stages.hpp"

// One kernel per operator of an array program, each a pass over the image with its temporaries in global memory.
namespace bb::diffraction::device {

#define BB_STAGE(name)                                                                                  \
  extern "C" __global__ void __launch_bounds__(256) diffraction_##name##_f64(                           \
      const __grid_constant__ DeviceSetup<double, double> s, StagePlanes<double> p, StagePosition at) { \
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);                              \
    if (i < s.plate.width * s.plate.height) name##_stage<Fp64>(s, p, at, i);                            \
  }                                                                                                     \
  extern "C" __global__ void __launch_bounds__(256) diffraction_##name##_f32(                           \
      const __grid_constant__ DeviceSetup<float, float> s, StagePlanes<float> p, StagePosition at) {    \
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);                              \
    if (i < s.plate.width * s.plate.height) name##_stage<Delta>(s, p, at, i);                           \
  }

template <typename A, typename T = typename A::Factor>
__device__ inline void start_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition, int i) {
  p.sum[i] = 0;
  p.weights[i] = 0;
  p.weight[i] = 1;
  p.factor[i] = s.each ? T(1) : pixel_correction(s, i % s.plate.width, i / s.plate.width);
}
BB_STAGE(start)

template <typename A, typename T = typename A::Factor>
__device__ inline void directions_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition at, int i) {
  const int n = s.plate.oversample, fast = i % s.plate.width, slow = i / s.plate.width;
  const Number3<T> d = direction(s, fast * n + at.sub_fast, slow * n + at.sub_slow, at.depth);
  p.dx[i] = d.x;
  p.dy[i] = d.y;
  p.dz[i] = d.z;
}
BB_STAGE(directions)

template <typename A, typename T = typename A::Factor>
__device__ inline void transfer_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition at, int i) {
  Number3<T> d;
  d.x = p.dx[i];
  d.y = p.dy[i];
  d.z = p.dz[i];
  const Number3<T> q = transfer(s.rays[at.source], d);
  p.qx[i] = q.x;
  p.qy[i] = q.y;
  p.qz[i] = q.z;
}
BB_STAGE(transfer)

template <typename A, typename T = typename A::Factor>
__device__ inline void weights_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition at, int i) {
  const int n = s.plate.oversample, fast = i % s.plate.width, slow = i / s.plate.width;
  p.weight[i] = static_cast<T>(weight(s, fast * n + at.sub_fast, slow * n + at.sub_slow, at.depth, at.source));
}
BB_STAGE(weights)

template <typename A, typename T = typename A::Factor>
__device__ inline void background_stage(const typename A::Setup&, const StagePlanes<T>& p, StagePosition, int i) {
  p.weights[i] += p.weight[i];
}
BB_STAGE(background)

template <typename A, typename T = typename A::Factor>
__device__ inline void indices_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition at, int i) {
  const Edges<T>& edges = s.edges[at.orientation];
  Number3<T> q;
  q.x = p.qx[i];
  q.y = p.qy[i];
  q.z = p.qz[i];
  p.h[i] = index(edges.a, q);
  p.k[i] = index(edges.b, q);
  p.l[i] = index(edges.c, q);
}
BB_STAGE(indices)

template <typename A, typename T = typename A::Factor>
__device__ inline void lattice_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition, int i) {
  p.f2[i] = A::lattice(s, p.h[i], p.k[i], p.l[i]);
}
BB_STAGE(lattice)

template <typename A, typename T = typename A::Factor>
__device__ inline void structure_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition, int i) {
  p.f2[i] *= s.table ? cell_squared(s, p.h[i], p.k[i], p.l[i]) : static_cast<T>(s.f2);
}
BB_STAGE(structure)

template <typename A, typename T = typename A::Factor>
__device__ inline void accumulate_stage(const typename A::Setup&, const StagePlanes<T>& p, StagePosition, int i) {
  p.sum[i] += p.weight[i] * p.f2[i];
}
BB_STAGE(accumulate)

template <typename A, typename T = typename A::Factor>
__device__ inline void finish_stage(const typename A::Setup& s, const StagePlanes<T>& p, StagePosition, int i) {
  p.sum[i] = p.factor[i] * static_cast<T>(s.scale * p.sum[i] + s.water * p.weights[i]);
}
BB_STAGE(finish)

}  // namespace bb::diffraction::device
