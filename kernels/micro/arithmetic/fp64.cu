// Row 24 of the table of performance claims: Horner's rule in FP32, in FP64, and in numbers made of two floats. All
// kernels but the first read and write FP64.
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
  horner_kernel(
      n, terms, c, in, out, [](DoubleFloat y, DoubleFloat x, DoubleFloat ck) { return y * x + ck; },
      [](double value) { return split(value); }, [](DoubleFloat value) { return joined(value); });
}

}  // namespace bb::micro
