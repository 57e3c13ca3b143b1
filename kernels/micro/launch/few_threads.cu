// Row 23 of the table of performance claims: the same number of steps y = y r + t by few or many threads, each with 1,
// 2, 4 or 8 independent chains.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Iterates `n` values `work` times each; thread t processes those of index t, t + threads, …
template <int kChains>
__device__ void iterate(unsigned n, unsigned threads, int work, const float* __restrict__ in, float* __restrict__ out) {
  const unsigned t = global_thread();
  if (t >= threads) return;
  for (unsigned long long first = t; first < n; first += static_cast<unsigned long long>(threads) * kChains) {
    float y[kChains];
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      const unsigned long long i = first + static_cast<unsigned long long>(c) * threads;
      y[c] = i < n ? in[i] : 0;
    }
    for (int w = 0; w < work; ++w) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) y[c] = __fmaf_rn(y[c], 0.984375f, 0.0078125f);
    }
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      const unsigned long long i = first + static_cast<unsigned long long>(c) * threads;
      if (i < n) out[i] = y[c];
    }
  }
}

#define BB_CHAINS_KERNEL(chains)                                                                   \
  extern "C" __global__ void __launch_bounds__(128)                                                \
      micro_chains_##chains(unsigned n, unsigned threads, int work, const float* in, float* out) { \
    iterate<chains>(n, threads, work, in, out);                                                    \
  }
BB_CHAINS_KERNEL(1)
BB_CHAINS_KERNEL(2)
BB_CHAINS_KERNEL(4)
BB_CHAINS_KERNEL(8)
#undef BB_CHAINS_KERNEL

}  // namespace bb::micro
