#include "cuda_fused_collide.cuh"
#include "cuda_fused_state.cuh"
#include "cuda_fused_stream.cuh"
#include "cuda_march.cuh"

// Kernels of the fused variants: one launch per pass, and a cooperative loop over steps.
namespace bb::transport::fused {

template <typename T>
__device__ inline bool is_over(const FusedParameters<T>& p, int step) {
  return *static_cast<volatile int*>(&p.control->done) != 0 || step >= p.control->limit;
}

template <typename T>
__device__ inline int current_step(const FusedParameters<T>& p) {
  return *static_cast<volatile int*>(&p.control->step);
}

/// Waits until all blocks have called this function `times` times since the batch began.
template <typename T>
__device__ inline void wait_for_all(const FusedParameters<T>& p, unsigned times) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&p.control->arrived, 1u);
    volatile unsigned* arrived = &p.control->arrived;
    while (*arrived < times * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

template <typename T, bool kDepth>
__device__ inline void all_steps(const FusedParameters<T>& p, const MarchParameters& g, T* shared) {
  int step = current_step(p);
  for (unsigned taken = 1; !is_over(p, step); ++taken, ++step) {
    if constexpr (sizeof(T) == sizeof(float) && !kDepth) {
      if (g.count > 0) march::march(p, g, step);
    }
    collide<T, kDepth>(p, step, shared);
    wait_for_all(p, taken);
    stream<T, kDepth>(p, step);
    if (threadIdx.x == 0) {
      while (current_step(p) == step) {
      }
      __threadfence();
    }
    __syncthreads();
  }
}

}  // namespace bb::transport::fused

#define BB_FUSED_ENTRY(name, T, depth, blocks)                                                       \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)                         \
      transport_fused_plan_##name(const __grid_constant__ bb::transport::FusedParameters<T> p) {     \
    bb::transport::fused::plan_step<T, depth>(p, p.control->step);                                   \
  }                                                                                                  \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads, 2)                      \
      transport_fused_collide_##name(const __grid_constant__ bb::transport::FusedParameters<T> p) {  \
    extern __shared__ double2 fused_shared[];                                                        \
    const int step = bb::transport::fused::current_step(p);                                          \
    if (bb::transport::fused::is_over(p, step)) return;                                              \
    bb::transport::fused::collide<T, depth>(p, step, reinterpret_cast<T*>(fused_shared));            \
  }                                                                                                  \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads, blocks)                 \
      transport_fused_stream_##name(const __grid_constant__ bb::transport::FusedParameters<T> p) {   \
    const int step = bb::transport::fused::current_step(p);                                          \
    if (bb::transport::fused::is_over(p, step)) return;                                              \
    bb::transport::fused::stream<T, depth>(p, step);                                                 \
  }                                                                                                  \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads, 2)                      \
      transport_fused_persistent_##name(const __grid_constant__ bb::transport::FusedParameters<T> p, \
                                        const __grid_constant__ bb::transport::MarchParameters g) {  \
    extern __shared__ double2 fused_shared[];                                                        \
    bb::transport::fused::all_steps<T, depth>(p, g, reinterpret_cast<T*>(fused_shared));             \
  }

BB_FUSED_ENTRY(path_f32, float, false, 3)
BB_FUSED_ENTRY(path_f64, double, false, 2)
BB_FUSED_ENTRY(depth_f32, float, true, 3)
BB_FUSED_ENTRY(depth_f64, double, true, 2)

// These kernels are launched with one block per bin.
#define BB_FUSED_STATE_ENTRY(name, T)                                                                                  \
  extern "C" __global__ void transport_fused_begin_##name(const __grid_constant__ bb::transport::FusedParameters<T> p, \
                                                          const int limit) {                                           \
    p.control->limit = limit;                                                                                          \
    p.control->arrived = 0;                                                                                            \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads) transport_fused_fill_##name(              \
      const __grid_constant__ bb::transport::FusedParameters<T> p, const unsigned long long seed) {                    \
    bb::transport::fused::fill_bin<T>(p, seed, static_cast<int>(blockIdx.x));                                          \
  }                                                                                                                    \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)                                           \
      transport_fused_count_##name(const __grid_constant__ bb::transport::FusedParameters<T> p, double* row) {         \
    bb::transport::fused::count_bin<T>(p, row, static_cast<int>(blockIdx.x));                                          \
  }                                                                                                                    \
  /* Depth stepping beyond the last plane: all protons in flight have left the grid. */                                \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)                                           \
      transport_fused_leave_##name(const __grid_constant__ bb::transport::FusedParameters<T> p, double* row) {         \
    bb::transport::fused::leave_with_bin<T>(p, row, static_cast<int>(blockIdx.x));                                     \
  }

BB_FUSED_STATE_ENTRY(f32, float)
BB_FUSED_STATE_ENTRY(f64, double)
