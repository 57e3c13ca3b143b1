// Row 5 of the table of performance claims: a chain of loads, each of which gives the address of the next. A single
// thread runs, so that nothing hides the latency.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Follows `hops` links from the first entry; links are byte offsets, so that an address needs one addition. `out`
/// receives the last link and the elapsed clock cycles.
template <typename Load>
__device__ void chase(int hops, long long* out, Load&& load) {
  unsigned at = 0;
  for (int i = 0; i < 64; ++i) at = load(at);  // warms up instructions and first pages
  at = 0;
  const long long start = clock64();
#pragma unroll 8
  for (int i = 0; i < hops; ++i) at = load(at);
  // The sum depends on the last load, so that the clock is read after that load.
  out[1] = clock64() - start + (at == 0xffffffffu);
  out[0] = at;
}

extern "C" __global__ void micro_chase_global(const unsigned* __restrict__ next, int hops, long long* out) {
  chase(hops, out, [&](unsigned at) {
    unsigned to;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(to) : "l"(reinterpret_cast<const char*>(next) + at) : "memory");
    return to;
  });
}

/// Loads bypass L1.
extern "C" __global__ void micro_chase_l2(const unsigned* __restrict__ next, int hops, long long* out) {
  chase(hops, out, [&](unsigned at) {
    unsigned to;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(to) : "l"(reinterpret_cast<const char*>(next) + at) : "memory");
    return to;
  });
}

/// Uses volatile loads, which fetch the data again each time.
extern "C" __global__ void micro_chase_uncached(const unsigned* __restrict__ next, int hops, long long* out) {
  chase(hops, out, [&](unsigned at) {
    unsigned to;
    asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(to) : "l"(reinterpret_cast<const char*>(next) + at) : "memory");
    return to;
  });
}

/// Copies `entries` words of the table to shared memory first.
extern "C" __global__ void micro_chase_shared(const unsigned* __restrict__ next, unsigned entries, int hops,
                                              long long* out) {
  extern __shared__ uint4 table_bytes[];
  unsigned* table = reinterpret_cast<unsigned*>(table_bytes);
  for (unsigned i = threadIdx.x; i < entries; i += blockDim.x) table[i] = next[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(table));
  chase(hops, out, [&](unsigned at) {
    unsigned to;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to) : "r"(base + at) : "memory");
    return to;
  });
}

}  // namespace bb::micro
