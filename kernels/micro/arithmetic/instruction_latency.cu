// Row 9 and 10: chains of one instruction, each of which needs what the one before gave. One warp, so that nothing
// hides the wait.
#include "micro/row/common.cuh"

namespace bb::micro {

/// `out` gets what the last operation left in lane 0, and the clock cycles taken.
template <typename Step>
__device__ void chain(int operations, unsigned at, long long* out, Step&& step) {
  unsigned warm = at;
  for (int i = 0; i < 64; ++i) warm = step(warm);  // instructions, and the table's lines
  const long long start = clock64();
#pragma unroll 8
  for (int i = 0; i < operations; ++i) at = step(at);
  // Depends on the last operation, so that the clock is read after it.
  const long long taken = clock64() - start + (at == 0xfffffffeu) + (warm == 0xfffffffeu);
  if (threadIdx.x == 0) {
    out[0] = at;
    out[1] = taken;
  }
}

extern "C" __global__ void micro_chain_add(const unsigned*, int operations, unsigned, long long* out) {
  chain(operations, 0, out, [](unsigned at) {
    unsigned to;
    asm volatile("mad.lo.u32 %0, %1, 1664525, 1013904223;" : "=r"(to) : "r"(at));
    return to;
  });
}

/// Each lane holds an entry of the table; where the chain is says whose is read.
extern "C" __global__ void micro_chain_shuffle(const unsigned* __restrict__ next, int operations, unsigned,
                                               long long* out) {
  const unsigned mine = next[threadIdx.x];
  chain(operations, 0, out, [&](unsigned at) { return __shfl_sync(kWholeWarp, mine, static_cast<int>(at)); });
}

/// Each lane tests its bit, then the vote: all bits turn over.
extern "C" __global__ void micro_chain_ballot(const unsigned*, int operations, unsigned, long long* out) {
  const unsigned bit = 1u << threadIdx.x;
  chain(operations, 0, out, [&](unsigned at) { return __ballot_sync(kWholeWarp, (at & bit) == 0); });
}

/// A comparison, the vote, and its answer as a number.
extern "C" __global__ void micro_chain_any(const unsigned*, int operations, unsigned, long long* out) {
  chain(operations, 0, out, [](unsigned at) { return __any_sync(kWholeWarp, at == 0) != 0 ? 1u : 0u; });
}

/// Four groups of lanes.
extern "C" __global__ void micro_chain_match(const unsigned*, int operations, unsigned, long long* out) {
  chain(operations, threadIdx.x % 4, out, [](unsigned at) { return __match_any_sync(kWholeWarp, at); });
}

/// Adds `nothing`, which is 0, to the entry that the chain is at, and goes on to what was there. One thread.
extern "C" __global__ void micro_chain_atomic_global(unsigned* table, int operations, unsigned nothing,
                                                     long long* out) {
  chain(operations, 0, out, [&](unsigned at) {
    unsigned to;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(to) : "l"(table + at), "r"(nothing) : "memory");
    return to;
  });
}

extern "C" __global__ void micro_chain_atomic_shared(const unsigned* __restrict__ table, int operations,
                                                     unsigned nothing, long long* out) {
  __shared__ unsigned mine[32];
  for (unsigned i = 0; i < 32; ++i) mine[i] = table[i];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(mine));
  chain(operations, 0, out, [&](unsigned at) {
    unsigned to;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(to) : "r"(base + 4 * at), "r"(nothing) : "memory");
    return to;
  });
}

}  // namespace bb::micro
