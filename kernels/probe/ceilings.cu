// Kernels that measure the peak performance of a device; native/cuda/timing/ceilings.cpp runs them.

// Does nothing, so its time is the overhead of a launch.
extern "C" __global__ void probe_empty() {}

// Reads `steps` words, each of which is the index of the next. Reads cannot overlap, so the time is `steps` latencies.
// Runs in one thread. `out` receives the last word, which prevents the compiler from removing the reads.
extern "C" __global__ void probe_chase(const unsigned* __restrict__ next, unsigned* out, int steps) {
  unsigned at = 0;
  for (int step = 0; step < steps; ++step) at = next[at];
  *out = at;
}

// Copies 16-byte words, the widest access of a thread. Each thread has four loads in flight before its first store; the
// accesses of a block are contiguous. `count` is a multiple of 4 * blockDim.x, and the grid covers it.
extern "C" __global__ void probe_copy(const uint4* __restrict__ from, uint4* __restrict__ to) {
  const unsigned long long first = 4ull * blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned stride = blockDim.x;
  const uint4 a = from[first];
  const uint4 b = from[first + stride];
  const uint4 c = from[first + 2 * stride];
  const uint4 d = from[first + 3 * stride];
  to[first] = a;
  to[first + stride] = b;
  to[first + 2 * stride] = c;
  to[first + 3 * stride] = d;
}

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
