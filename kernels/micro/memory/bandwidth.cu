// Row 6 of the table of performance claims: the STREAM triad a = b + s c, `passes` times over the same arrays. The size
// of the arrays decides which level of memory is measured. Pass p adds its number to s, so that no pass can be
// optimised away.
#include "micro/row/common.cuh"

namespace bb::micro {

extern "C" __global__ void __launch_bounds__(256)
    micro_triad(unsigned n, int passes, float s, const float* b, const float* c, float* a) {
  for (int p = 0; p < passes; ++p) {
    const float sp = s + static_cast<float>(p);
    for (unsigned i = global_thread(); i < n; i += all_threads()) a[i] = __fmaf_rn(sp, c[i], b[i]);
    compiler_barrier();
  }
}

/// Loads and stores 16 bytes at a time, and the last n % 4 elements one by one. `load` selects the caches that retain
/// the loaded data.
template <typename Load>
__device__ void triad_16(unsigned n, int passes, float s, const float* b, const float* c, float* a, Load&& load) {
  const unsigned quads = n / 4;
  for (int p = 0; p < passes; ++p) {
    const float sp = s + static_cast<float>(p);
    for (unsigned i = global_thread(); i < quads; i += all_threads()) {
      const float4 bi = load(reinterpret_cast<const float4*>(b) + i), ci = load(reinterpret_cast<const float4*>(c) + i);
      reinterpret_cast<float4*>(a)[i] = {__fmaf_rn(sp, ci.x, bi.x), __fmaf_rn(sp, ci.y, bi.y),
                                         __fmaf_rn(sp, ci.z, bi.z), __fmaf_rn(sp, ci.w, bi.w)};
    }
    const unsigned rest = 4 * quads + global_thread();
    if (rest < n) a[rest] = __fmaf_rn(sp, c[rest], b[rest]);
    compiler_barrier();
  }
}

extern "C" __global__ void __launch_bounds__(256)
    micro_triad_16(unsigned n, int passes, float s, const float* b, const float* c, float* a) {
  triad_16(n, passes, s, b, c, a, [](const float4* from) { return *from; });
}

/// Loads bypass L1, so that L2 serves even arrays that would fit into L1.
extern "C" __global__ void __launch_bounds__(256)
    micro_triad_l2(unsigned n, int passes, float s, const float* b, const float* c, float* a) {
  triad_16(n, passes, s, b, c, a, [](const float4* from) { return __ldcg(from); });
}

/// Each block copies its share of the three arrays to shared memory: 3 * share floats, where share is a multiple of 4.
extern "C" __global__ void __launch_bounds__(1024)
    micro_triad_shared(unsigned n, unsigned share, int passes, float s, const float* b, const float* c, float* a) {
  extern __shared__ float4 shared_quads[];
  float* mine_b = reinterpret_cast<float*>(shared_quads);
  float* mine_c = mine_b + share;
  float* mine_a = mine_c + share;
  const unsigned first = blockIdx.x * share;
  for (unsigned i = threadIdx.x; i < share; i += blockDim.x) {
    mine_b[i] = first + i < n ? b[first + i] : 0;
    mine_c[i] = first + i < n ? c[first + i] : 0;
  }
  __syncthreads();
  const unsigned quads = share / 4;
  for (int p = 0; p < passes; ++p) {
    const float sp = s + static_cast<float>(p);
    for (unsigned i = threadIdx.x; i < quads; i += blockDim.x) {
      const float4 bi = shared_quads[i], ci = shared_quads[quads + i];
      shared_quads[2 * quads + i] = {__fmaf_rn(sp, ci.x, bi.x), __fmaf_rn(sp, ci.y, bi.y), __fmaf_rn(sp, ci.z, bi.z),
                                     __fmaf_rn(sp, ci.w, bi.w)};
    }
    compiler_barrier();
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < share; i += blockDim.x) {
    if (first + i < n) a[first + i] = mine_a[i];
  }
}

}  // namespace bb::micro
