// Row 1 of the table of performance claims: N operations y = a x + y, each on the result of the previous one. Every
// kernel computes the same operation. The kernels differ in the number of passes over y and of launches.
#include "micro/row/common.cuh"

namespace bb::micro {

/// One operation.
extern "C" __global__ void __launch_bounds__(256)
    micro_axpy(unsigned n, float a, const float* __restrict__ x, float* y) {
  const unsigned i = global_thread();
  if (i < n) y[i] = __fmaf_rn(a, x[i], y[i]);
}

/// Applies all operations with y in a register.
extern "C" __global__ void __launch_bounds__(256)
    micro_axpy_fused(unsigned n, int operations, float a, const float* __restrict__ x, float* y) {
  const unsigned i = global_thread();
  if (i >= n) return;
  const float xi = x[i];
  float yi = y[i];
  for (int k = 0; k < operations; ++k) yi = __fmaf_rn(a, xi, yi);
  y[i] = yi;
}

/// Applies all operations with a grid-wide barrier after each, as required if an operation reads values of other
/// blocks. All blocks are resident (cooperative launch); `arrived` starts at zero.
extern "C" __global__ void __launch_bounds__(256)
    micro_axpy_persistent(unsigned n, int operations, float a, const float* __restrict__ x, volatile float* y,
                          unsigned* arrived) {
  for (int k = 0; k < operations; ++k) {
    for (unsigned i = global_thread(); i < n; i += all_threads()) y[i] = __fmaf_rn(a, x[i], y[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1u);
      const unsigned wanted = static_cast<unsigned>(k + 1) * gridDim.x;
      while (*static_cast<volatile unsigned*>(arrived) < wanted) {
      }
      __threadfence();
    }
    __syncthreads();
  }
}

}  // namespace bb::micro
