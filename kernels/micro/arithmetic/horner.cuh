#pragma once

#include "horner_shape.hpp"
#include "micro/row/common.cuh"

// A polynomial by the Horner scheme, c[0] + x (c[1] + x (…)): `terms` = degree + 1 coefficients.
namespace bb::micro {

/// y = c + x y, in the forms that rows 11 and 24 of the table of performance claims compare.
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

/// `lift` converts an argument to the type that `step` computes with; `give` converts that type to a result.
template <typename In, typename Number, typename Step, typename Lift, typename Give>
__device__ void horner_kernel(unsigned n, int terms, const Number* __restrict__ c, const In* __restrict__ in,
                              In* __restrict__ out, Step step, Lift lift, Give give) {
  const unsigned first = blockIdx.x * blockDim.x * kHornerChains + threadIdx.x;
  Number x[kHornerChains], y[kHornerChains];
#pragma unroll
  for (unsigned j = 0; j < kHornerChains; ++j) {
    const unsigned i = first + j * blockDim.x;
    x[j] = lift(i < n ? in[i] : In(0));
    y[j] = c[terms - 1];
  }
#pragma unroll 4
  for (int k = terms - 2; k >= 0; --k) {
    const Number ck = c[k];
#pragma unroll
    for (unsigned j = 0; j < kHornerChains; ++j) y[j] = step(y[j], x[j], ck);
  }
#pragma unroll
  for (unsigned j = 0; j < kHornerChains; ++j) {
    const unsigned i = first + j * blockDim.x;
    if (i < n) out[i] = give(y[j]);
  }
}

/// Evaluates `quads` groups of four coefficients, highest degree first. The first group is padded with leading zeros.
/// The extra steps are exact, because y = 0 x + 0 stays 0.
template <typename Step>
__device__ void horner_from_shared(unsigned n, int quads, const float4* __restrict__ c, const float* __restrict__ in,
                                   float* __restrict__ out, Step step) {
  extern __shared__ float4 coefficients[];
  for (int k = static_cast<int>(threadIdx.x); k < quads; k += static_cast<int>(blockDim.x)) coefficients[k] = c[k];
  __syncthreads();
  const unsigned first = blockIdx.x * blockDim.x * kHornerSharedChains + threadIdx.x;
  float x[kHornerSharedChains], y[kHornerSharedChains];
#pragma unroll
  for (unsigned j = 0; j < kHornerSharedChains; ++j) {
    const unsigned i = first + j * blockDim.x;
    x[j] = i < n ? in[i] : 0.0f;
    y[j] = 0.0f;
  }
#pragma unroll 4
  for (int k = 0; k < quads; ++k) {
    const float4 four = coefficients[k];
    const float each[] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (const float ck : each) {
#pragma unroll
      for (unsigned j = 0; j < kHornerSharedChains; ++j) y[j] = step(y[j], x[j], ck);
    }
  }
#pragma unroll
  for (unsigned j = 0; j < kHornerSharedChains; ++j) {
    const unsigned i = first + j * blockDim.x;
    if (i < n) out[i] = y[j];
  }
}

template <typename T, typename Step>
__device__ void horner_kernel(unsigned n, int terms, const T* c, const T* in, T* out, Step step) {
  const auto same = [](T value) { return value; };
  horner_kernel(n, terms, c, in, out, step, same, same);
}

}  // namespace bb::micro
