// Row 21 of the table of performance claims: y = a x + y by whole blocks, with and without a check for the end of the
// array.
#include "micro/row/common.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(128)
    micro_bounds_checked(unsigned n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const unsigned i = global_thread();
  if (i < n) y[i] = __fmaf_rn(a, x[i], y[i]);
}

/// If n is not a multiple of the block size, the last block reads and writes beyond the end.
extern "C" __global__ void __launch_bounds__(128)
    micro_bounds_unchecked(unsigned, float a, const float* __restrict__ x, float* __restrict__ y) {
  const unsigned i = global_thread();
  y[i] = __fmaf_rn(a, x[i], y[i]);
}

}  // namespace bb::micro
