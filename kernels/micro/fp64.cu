// Row 24: Horner's rule in FP32, FP64, and with numbers made of two floats. All read and write FP64 but the first.
#include "double_float.cuh"
#include "horner.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(256)
    micro_horner_fp64(unsigned n, int terms, const double* c, const double* in, double* out) {
  horner_kernel(n, terms, c, in, out, FusedStep{});
}

extern "C" __global__ void __launch_bounds__(256)
    micro_horner_double_float(unsigned n, int terms, const DoubleFloat* __restrict__ c, const double* __restrict__ in,
                              double* __restrict__ out) {
  const unsigned i = global_thread();
  if (i >= n) return;
  const DoubleFloat x = split(in[i]);
  DoubleFloat y = c[terms - 1];
#pragma unroll 4
  for (int k = terms - 2; k >= 0; --k) y = y * x + c[k];
  out[i] = joined(y);
}

}  // namespace bb::micro
