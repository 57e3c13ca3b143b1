// Row 21 of the table of performance claims: y = a x + y by a grid of any size. One thread per element is micro_axpy of
// launch.cu.
#include "micro/row/common.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(256)
    micro_axpy_grid_stride(unsigned n, float a, const float* __restrict__ x, float* __restrict__ y) {
  for (unsigned i = global_thread(); i < n; i += all_threads()) y[i] = __fmaf_rn(a, x[i], y[i]);
}

}  // namespace bb::micro
