// Row 10 of the table of performance claims: many threads add to few addresses. The atomics are written in PTX, because
// the compiler might otherwise sum within a warp first.
#include "micro/row/common.cuh"

namespace bb::micro {

__device__ inline unsigned weight_of(unsigned thread) { return 1 + thread % 7; }

/// One atomic per addition.
extern "C" __global__ void __launch_bounds__(256)
    micro_contend_add(unsigned writers, unsigned additions, unsigned addresses, unsigned* out) {
  const unsigned thread = global_thread();
  if (thread >= writers) return;
  const unsigned weight = weight_of(thread);
  unsigned* mine = out + thread % addresses;
  for (unsigned i = 0; i < additions; ++i) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(mine), "r"(weight) : "memory");
  }
}

/// Compare-and-swap loop: repeats until no other thread wrote in between.
extern "C" __global__ void __launch_bounds__(256)
    micro_contend_cas(unsigned writers, unsigned additions, unsigned addresses, unsigned* out) {
  const unsigned thread = global_thread();
  if (thread >= writers) return;
  const unsigned weight = weight_of(thread);
  unsigned* mine = out + thread % addresses;
  for (unsigned i = 0; i < additions; ++i) {
    unsigned seen = *static_cast<volatile unsigned*>(mine), before;
    do {
      before = seen;
      seen = atomicCAS(mine, before, before + weight);
    } while (seen != before);
  }
}

/// Lanes with the same address sum by shuffles first.
extern "C" __global__ void __launch_bounds__(256)
    micro_contend_warp(unsigned writers, unsigned additions, unsigned addresses, unsigned* out) {
  const unsigned thread = global_thread();
  const bool writes = thread < writers;
  const unsigned address = thread % addresses, weight = weight_of(thread), lane = threadIdx.x % 32;
  const unsigned present = __ballot_sync(kWholeWarp, writes);
  if (!writes) return;
  const unsigned peers = __match_any_sync(present, address);
  for (unsigned i = 0; i < additions; ++i) {
    unsigned sum = 0;
    for (unsigned left = peers; left != 0; left &= left - 1) sum += __shfl_sync(peers, weight, __ffs(left) - 1);
    if (lane == static_cast<unsigned>(__ffs(peers)) - 1) {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + address), "r"(sum) : "memory");
    }
  }
}

/// Each thread sums in a register and adds once. The compiler cannot see the weight, so it executes all additions.
extern "C" __global__ void __launch_bounds__(256)
    micro_contend_own(unsigned writers, unsigned additions, unsigned addresses, unsigned* out) {
  const unsigned thread = global_thread();
  if (thread >= writers) return;
  unsigned weight = weight_of(thread), sum = 0;
  for (unsigned i = 0; i < additions; ++i) {
    asm volatile("" : "+r"(weight));
    sum += weight;
  }
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + thread % addresses), "r"(sum) : "memory");
}

}  // namespace bb::micro
