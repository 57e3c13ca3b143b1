// Row 13 of the table of performance claims: a Chebyshev sum over terms of a recurrence, u[k+1] = 2 x u[k] - u[k-1], y
// += c[k] u[k]. Its loop is unrolled 1, 2, 4 and 8 times, and left to the compiler. Unrolling saves counters, branches
// and the two moves per step that shift u.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Partial sum for one argument.
struct Chebyshev {
  __device__ Chebyshev(float argument, float first) : x(argument), u(argument), y(first) {}
  __device__ void add(float coefficient) {
    y = __fmaf_rn(coefficient, u, y);
    const float next = __fmaf_rn(2 * x, u, -before);
    before = u;
    u = next;
  }
  float x, before = 1, u, y;
};

template <int kUnroll>
__device__ void chebyshev(unsigned n, int terms, const float* __restrict__ c, const float* __restrict__ in,
                          float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i >= n) return;
  Chebyshev sum(in[i], c[0]);
#pragma unroll kUnroll
  for (int k = 1; k < terms; ++k) sum.add(c[k]);
  out[i] = sum.y;
}

/// The loop without an unrolling directive: the baseline for manual unrolling.
extern "C" __global__ void __launch_bounds__(256)
    micro_unroll_compiled(unsigned n, int terms, const float* __restrict__ c, const float* __restrict__ in,
                          float* __restrict__ out) {
  const unsigned i = global_thread();
  if (i >= n) return;
  Chebyshev sum(in[i], c[0]);
  for (int k = 1; k < terms; ++k) sum.add(c[k]);
  out[i] = sum.y;
}

#define BB_CHEBYSHEV_KERNEL(unroll)                                                               \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      micro_unroll_##unroll(unsigned n, int terms, const float* c, const float* in, float* out) { \
    chebyshev<unroll>(n, terms, c, in, out);                                                      \
  }
BB_CHEBYSHEV_KERNEL(1)
BB_CHEBYSHEV_KERNEL(2)
BB_CHEBYSHEV_KERNEL(4)
BB_CHEBYSHEV_KERNEL(8)
#undef BB_CHEBYSHEV_KERNEL

}  // namespace bb::micro
