#pragma once

#include "common.cuh"

// A polynomial by Horner's rule, c[0] + x (c[1] + x (…)): `terms` = degree + 1 coefficients.
namespace bb::micro {

/// y = c + x y, in one of the ways that rows 11 and 24 compare.
struct SeparateStep {
  __device__ float operator()(float y, float x, float c) const { return __fadd_rn(__fmul_rn(y, x), c); }
};
struct CompiledStep {
  __device__ float operator()(float y, float x, float c) const { return y * x + c; }
};
struct FusedStep {
  __device__ float operator()(float y, float x, float c) const { return __fmaf_rn(y, x, c); }
  __device__ double operator()(double y, double x, double c) const { return __fma_rn(y, x, c); }
};

template <typename T, typename Step>
__device__ T horner(T x, int terms, const T* __restrict__ c, Step step) {
  T y = c[terms - 1];
#pragma unroll 4
  for (int k = terms - 2; k >= 0; --k) y = step(y, x, c[k]);
  return y;
}

template <typename T, typename Step>
__device__ void horner_kernel(unsigned n, int terms, const T* __restrict__ c, const T* __restrict__ in,
                              T* __restrict__ out, Step step) {
  const unsigned i = global_thread();
  if (i < n) out[i] = horner(in[i], terms, c, step);
}

}  // namespace bb::micro
