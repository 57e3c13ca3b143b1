// Fused multiply-adds on eight independent chains per thread, more than the pipeline's latency needs at full occupancy.
// A loop pass has 8 * 16 of them. The store prevents the compiler from removing the work; with a = 1 and b = 0 the sum
// stays 28 + 8 * threadIdx.x for any number of passes, which the test checks.
template <typename Real>
__device__ void multiply_add(Real* out, Real a, Real b, int passes) {
  Real x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = static_cast<Real>(threadIdx.x + i);
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (int repeat = 0; repeat < 16; ++repeat) {
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = fma(x[i], a, b);
    }
  }
  Real sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256) probe_fma_fp32(float* out, float a, float b, int passes) {
  multiply_add(out, a, b, passes);
}

extern "C" __global__ void __launch_bounds__(256) probe_fma_fp64(double* out, double a, double b, int passes) {
  multiply_add(out, a, b, passes);
}
