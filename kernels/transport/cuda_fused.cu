#include "cuda_fused.cuh"
#include "cuda_fused_state.cuh"

// Entry points of the fused variants: one step per launch, and a cooperative loop over steps.
namespace bb::transport::fused {

template <typename T, bool kDepth>
__device__ inline void one_step(const FusedParameters<T>& p, T* shared) {
  const int step = *static_cast<volatile int*>(&p.control->step);
  if (*static_cast<volatile int*>(&p.control->done) != 0 || step >= p.control->limit) return;
  work_through<T, kDepth>(p, step, shared);
  if (last_block(p)) finish_step<T, kDepth>(p, step);
}

template <typename T, bool kDepth>
__device__ inline void all_steps(const FusedParameters<T>& p, T* shared) {
  volatile StepControl* control = p.control;
  int step = control->step;
  while (control->done == 0 && step < control->limit) {
    work_through<T, kDepth>(p, step, shared);
    if (last_block(p)) finish_step<T, kDepth>(p, step);
    if (threadIdx.x == 0) {
      while (control->step == step) __nanosleep(20);
      __threadfence();
    }
    __syncthreads();
    ++step;
  }
}

template <typename T, bool kDepth>
__device__ inline void first_plan(const FusedParameters<T>& p) {
  plan_step<T, kDepth>(p, p.control->step);
}

}  // namespace bb::transport::fused

#define BB_FUSED_ENTRY(name, T, depth)                                                \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)          \
      transport_fused_plan_##name(const bb::transport::FusedParameters<T> p) {        \
    bb::transport::fused::first_plan<T, depth>(p);                                    \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads, 2)       \
      transport_fused_step_##name(const bb::transport::FusedParameters<T> p) {        \
    extern __shared__ double2 fused_shared[];                                         \
    bb::transport::fused::one_step<T, depth>(p, reinterpret_cast<T*>(fused_shared));  \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads, 2)       \
      transport_fused_persistent_##name(const bb::transport::FusedParameters<T> p) {  \
    extern __shared__ double2 fused_shared[];                                         \
    bb::transport::fused::all_steps<T, depth>(p, reinterpret_cast<T*>(fused_shared)); \
  }

BB_FUSED_ENTRY(path_f32, float, false)
BB_FUSED_ENTRY(path_f64, double, false)
BB_FUSED_ENTRY(depth_f32, float, true)
BB_FUSED_ENTRY(depth_f64, double, true)

// One block per bin.
#define BB_FUSED_STATE_ENTRY(name, T)                                                                          \
  extern "C" __global__ void transport_fused_begin_##name(const bb::transport::FusedParameters<T> p,           \
                                                          const int limit) {                                   \
    p.control->limit = limit;                                                                                  \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)                                   \
      transport_fused_fill_##name(const bb::transport::FusedParameters<T> p, const unsigned long long seed) {  \
    bb::transport::fused::fill_bin<T>(p, seed, static_cast<int>(blockIdx.x));                                  \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)                                   \
      transport_fused_count_##name(const bb::transport::FusedParameters<T> p, double* row) {                   \
    bb::transport::fused::count_bin<T>(p, row, static_cast<int>(blockIdx.x));                                  \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads) transport_fused_marginals_##name( \
      const bb::transport::FusedParameters<T> p, const bb::transport::DeviceMarginals fields) {                \
    bb::transport::fused::marginals_of_bin<T>(p, fields, static_cast<int>(blockIdx.x));                        \
  }

// Depth stepping, behind the last plane: everything in flight has left.
#define BB_FUSED_LEAVE_ENTRY(name, T)                                                        \
  extern "C" __global__ void __launch_bounds__(bb::transport::kFusedThreads)                 \
      transport_fused_leave_##name(const bb::transport::FusedParameters<T> p, double* row) { \
    bb::transport::fused::leave_with_bin<T>(p, row, static_cast<int>(blockIdx.x));           \
  }

BB_FUSED_LEAVE_ENTRY(f32, float)
BB_FUSED_LEAVE_ENTRY(f64, double)
BB_FUSED_STATE_ENTRY(f32, float)
BB_FUSED_STATE_ENTRY(f64, double)
