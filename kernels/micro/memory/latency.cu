// Row 5: a chain of loads, each of which says where the next one is. One thread, so that nothing hides the wait.
#include "micro/row/common.cuh"

namespace bb::micro {

/// Follows `hops` links from the first entry; links are offsets in bytes, so that an address is one addition.
/// `out` gets the link reached and the clock cycles taken.
template <typename Load>
__device__ void chase(int hops, long long* out, Load&& load) {
  unsigned at = 0;
  for (int i = 0; i < 64; ++i) at = load(at);  // instructions and the first pages of the table
  at = 0;
  const long long start = clock64();
#pragma unroll 8
  for (int i = 0; i < hops; ++i) at = load(at);
  // The sum depends on the last load, so that the clock is read after it.
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

/// Past L1.
extern "C" __global__ void micro_chase_l2(const unsigned* __restrict__ next, int hops, long long* out) {
  chase(hops, out, [&](unsigned at) {
    unsigned to;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(to) : "l"(reinterpret_cast<const char*>(next) + at) : "memory");
    return to;
  });
}

/// Volatile: fetched again each time.
extern "C" __global__ void micro_chase_uncached(const unsigned* __restrict__ next, int hops, long long* out) {
  chase(hops, out, [&](unsigned at) {
    unsigned to;
    asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(to) : "l"(reinterpret_cast<const char*>(next) + at) : "memory");
    return to;
  });
}

/// The table copied to shared memory first: `entries` words of it.
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
